import { HttpExchangeError } from '../../src/http/answer.ts';
import type { Exchange, HttpRequest, HttpResponse } from '../../src/http/request.ts';
import { createChoices } from './choices.ts';
import { altered, createFaults } from './faults.ts';
import type { Fault } from './faults.ts';
import type { RunPlan } from './scenario-runs.ts';
import { streamsOf } from './scenario.ts';
import type { Scenario } from './scenario.ts';
import { audienceOf, listOf } from './simulated-api.ts';
import type { SimulatedApi } from './simulated-api.ts';
import type { Answer, Matters, Tell } from './simulated-list.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A process, as far as its way to the API depends on it. */
export interface NetworkParts {
  readonly scenario: Scenario;
  readonly plan: RunPlan;
  /** Of this process. */
  readonly seed: number;
  readonly api: SimulatedApi;
  readonly time: VirtualTime;
  readonly tell: Tell;
  readonly matters: Matters;
}

/** The way of one process to the API, and what has happened on it so far. */
export function createNetwork(parts: Omit<NetworkParts, 'seed'>, seed: number) {
  const { scenario, plan, api, time, tell, matters } = parts;
  const { minMs, maxMs, date, dateBehindMs } = scenario.network;
  const choices = createChoices(seed);
  const drawFault = createFaults(scenario.network, choices);
  const traffic = {
    /** Requests that were sent to the lists. */
    listRequests: 0,
    /** Each request that was sent. */
    requests: [] as string[],
    /** What befell requests whose answer came. */
    faults: [] as Fault[],
    /** True once the API was out of order. */
    hadOutage: false,
    /** True once a list refused each request for a few seconds. */
    hadHiccup: false,
    /** Pages that have arrived, by path. */
    arrivals: new Map<string, number>(),
  };
  let hiccupEndMs: number | null = null;
  let responses = 0;

  /** Most requests are quick, a few take long. */
  const travelMs = (): number =>
    choices.between(minMs, choices.chance(90) ? Math.max(minMs, maxMs >> 2) : maxMs);
  const isInHiccup = (path: string): boolean => {
    if (plan.hiccup === null || (traffic.arrivals.get(path) ?? 0) < plan.hiccup.after) return false;
    hiccupEndMs ??= time.now() + plan.hiccup.ms;
    return time.now() < hiccupEndMs;
  };
  /** What an answer says of the server's time; null for nothing. */
  const dateOf = (nowMs: number): number | null => {
    responses++;
    const isTold = { each: true, none: false, some: choices.chance(50), 'not first': responses > 2 }[date];
    if (!isTold) matters('dateHeader');
    if (isTold && dateBehindMs !== 0) matters('serverClock');
    return isTold ? nowMs - dateBehindMs : null;
  };
  const faultOf = (name: string, url: URL, isList: boolean): Fault | null => {
    const { pathname } = url;
    const { outage, isCalm } = plan;
    const isOut = isList && outage !== null && traffic.listRequests > outage.after;
    if (isOut && (outage.of === 'each' || pathname.endsWith(outage.of))) {
      traffic.hadOutage = true;
      matters('outage');
      return 'status 503';
    }
    if (isList && isInHiccup(pathname)) {
      traffic.hadHiccup = true;
      matters('hiccup');
      return `status ${plan.hiccup?.status ?? 503}` as Fault;
    }
    const fault = isCalm ? null : drawFault(name, isList);
    // only a page that says where it stands can be told from another one
    const canShift = api.lists.get(listOf(url))?.echoesOffset === true;
    if (fault === null || (fault === 'another offset' && !canShift)) return null;
    matters('fault', fault);
    matters('faultRate');
    return fault;
  };
  const answerTo = (request: HttpRequest, fault: Fault | null): Answer => {
    if (fault === 'tokens revoked') api.tokens.revokeUsed(new Set(streamsOf(scenario).map(audienceOf)).size);
    if (fault?.startsWith('status') === true) return { status: Number(fault.slice(7, 10)), body: '' };
    const answer = api.answer(fault === 'another offset' ? shifted(request) : request);
    return fault === null || answer.status !== 200 ? answer : altered(answer, fault);
  };

  const exchange: Exchange = async (request) => {
    const { signal, deadlineMs, method, url } = request;
    const isList = method === 'GET';
    if (isList) traffic.listRequests++;
    signal.throwIfAborted();
    const name = isList ? `${url.pathname}${url.search}` : 'token';
    traffic.requests.push(name);
    const fault = faultOf(name, url, isList);
    const [upMs, downMs] = [travelMs(), travelMs()];
    let response: HttpResponse | undefined;
    // the server goes on with what has reached it, whoever gives up
    if (fault !== 'stall' && fault !== 'no connection')
      time.after(upMs, () => {
        const answer = answerTo(request, fault);
        tell(() => `${name} → ${answer.status}${fault === null ? '' : ` (${fault})`}`);
        // a server stamps its answer when it has made it, not when it looked at the list
        const headers = headersOf(fault, dateOf(time.now() + (downMs >> 1)));
        const body = Buffer.from(answer.body, fault === 'bad UTF-8' ? 'latin1' : 'utf8');
        response = { status: answer.status, headers, body, elapsedMs: upMs + downMs };
      });
    // no way there and back takes as long as the deadline
    await time.wait(fault === 'stall' ? deadlineMs : upMs, signal);
    if (fault === 'stall') throw new HttpExchangeError(`no whole answer within ${deadlineMs / 1000} s`);
    if (response === undefined) throw new HttpExchangeError('ECONNREFUSED: connect');
    await time.wait(downMs, signal);
    if (fault !== null) traffic.faults.push(fault);
    if (fault === 'answer lost') throw new HttpExchangeError('ECONNRESET: socket hang up');
    if (fault === 'cut') throw new HttpExchangeError('the answer was cut off (aborted)');
    if (response.status !== 200 || fault !== null) return response;
    traffic.arrivals.set(url.pathname, (traffic.arrivals.get(url.pathname) ?? 0) + 1);
    api.arrived(request);
    return response;
  };
  return { exchange, traffic };
}

/** The same request at another offset, as a cache that has gone wrong answers it. */
function shifted(request: HttpRequest): HttpRequest {
  const url = new URL(request.url);
  url.searchParams.set('offset', String(Number(url.searchParams.get('offset')) + 3));
  return { ...request, url };
}

function headersOf(fault: Fault | null, dateMs: number | null): HttpResponse['headers'] {
  const [, seconds] = /Retry-After (\d+)/.exec(fault ?? '') ?? [];
  return {
    ...(dateMs === null ? {} : { date: new Date(dateMs).toUTCString() }),
    ...(seconds === undefined ? {} : { 'retry-after': seconds }),
  };
}
