import { HttpExchangeError } from '../../src/http/answer.ts';
import type { Exchange, HttpRequest, HttpResponse } from '../../src/http/request.ts';
import { createRandom } from '../sandbox/data/random.ts';
import type { Random } from '../sandbox/data/random.ts';
import { between, chance } from './choice.ts';
import { createFaults } from './faults.ts';
import type { Fault } from './faults.ts';
import type { NetworkPlan } from './scenario.ts';
import type { RunPlan } from './scenario-runs.ts';
import type { SimulatedApi } from './simulated-api.ts';
import type { Answer } from './simulated-list.ts';
import type { Tell } from './tell.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A process, as far as its way to the API depends on it. */
export interface NetworkParts {
  readonly plan: NetworkPlan;
  readonly run: RunPlan;
  /** Of this process. */
  readonly seed: number;
  readonly api: SimulatedApi;
  readonly time: VirtualTime;
  readonly tell: Tell;
}

/** What has happened on the way so far. */
export interface Traffic {
  /** Requests that were sent to the lists. */
  readonly listRequests: number;
  /** What befell requests whose answer came. */
  readonly faults: readonly Fault[];
  /** True once the API was out of order. */
  readonly hadOutage: boolean;
}

/** The way of one process to the API. */
export interface Network {
  readonly exchange: Exchange;
  readonly traffic: Traffic;
}

export function createNetwork({ plan, seed, run, api, time, tell }: NetworkParts): Network {
  const random = createRandom(seed);
  const faultOf = createFaults(plan.faults, random, run.isCalm);
  const faults: Fault[] = [];
  const traffic = { listRequests: 0, faults, hadOutage: false };

  const answerTo = (asked: HttpRequest, fault: Fault | null): Answer => {
    const request = fault === 'another offset' ? shifted(asked) : asked;
    if (fault === 'tokens revoked') api.tokens.revokeUsed(run.streams.length);
    if (fault?.startsWith('status') === true) return { status: Number(fault.slice(7, 10)), body: '' };
    const answer = api.answer(request);
    return fault === null || answer.status !== 200 ? answer : altered(answer, fault);
  };
  /** What befalls a request, by its name; null for nothing. */
  const befalls = (name: string, { url }: HttpRequest, isList: boolean): Fault | null => {
    const isOut = isList && isOutOfOrder(run.outage, url, traffic.listRequests);
    traffic.hadOutage ||= isOut;
    const fault = isOut ? 'status 503' : faultOf(name, isList);
    // only a page that says where it stands can be told from another one
    return fault === 'another offset' && !canShift(api, url) ? null : fault;
  };

  const exchange: Exchange = async (request) => {
    const { signal, deadlineMs, method, url } = request;
    const isList = method === 'GET';
    if (isList) traffic.listRequests++;
    signal.throwIfAborted();
    const name = isList ? `${url.pathname}${url.search}` : 'token';
    const fault = befalls(name, request, isList);
    const [up, down] = [travel(random, plan), travel(random, plan)];
    const deadline = new AbortController();
    const takeBack = time.after(deadlineMs, () =>
      deadline.abort(new HttpExchangeError(`no whole answer within ${deadlineMs / 1000} s`)),
    );
    const end = AbortSignal.any([signal, deadline.signal]);
    let response: HttpResponse | undefined;
    // the server goes on with what has reached it, whoever gives up
    if (fault !== 'stall' && fault !== 'no connection')
      time.after(up, () => {
        const answer = answerTo(request, fault);
        tell(() => `${name} → ${answer.status}${fault === null ? '' : ` (${fault})`}`);
        // a server stamps its answer when it has made it, not when it looked at the list
        const headers = headersOf(fault, plan, time.now() + (down >> 1));
        const body = Buffer.from(answer.body, fault === 'bad UTF-8' ? 'latin1' : 'utf8');
        response = { status: answer.status, headers, body, elapsedMs: up + down };
      });
    try {
      await time.wait(fault === 'stall' ? deadlineMs : up, end);
      if (response === undefined) throw new HttpExchangeError('ECONNREFUSED: connect');
      await time.wait(down, end);
    } finally {
      takeBack();
    }
    if (fault !== null) faults.push(fault);
    if (fault === 'answer lost') throw new HttpExchangeError('ECONNRESET: socket hang up');
    if (fault === 'cut') throw new HttpExchangeError('the answer was cut off (aborted)');
    if (response.status === 200 && fault === null) api.arrived(request);
    return response;
  };
  return { exchange, traffic };
}

function canShift({ plan }: SimulatedApi, url: URL): boolean {
  return url.pathname.endsWith('/assets') && plan.assets.echoesOffset;
}

function isOutOfOrder(outage: RunPlan['outage'], url: URL, sent: number): boolean {
  return outage !== null && sent > outage.after && (outage.of === 'each' || url.pathname.endsWith(outage.of));
}

/** The same request at another offset, as a cache that has gone wrong answers it. */
function shifted(request: HttpRequest): HttpRequest {
  const url = new URL(request.url);
  url.searchParams.set('offset', String(Number(url.searchParams.get('offset')) + 3));
  return { ...request, url };
}

/** Most requests are quick, a few take long. */
function travel(random: Random, { leastMs, mostMs }: NetworkPlan): number {
  return chance(random, 90)
    ? between(random, leastMs, Math.max(leastMs, mostMs >> 2))
    : between(random, leastMs, mostMs);
}

function altered({ body }: Answer, fault: Fault): Answer {
  const bodies: Partial<Record<Fault, string>> = {
    'half a page': body.slice(0, body.length >> 1),
    'no items': body.replace('"items"', '"rows"'),
    'no pagination': body.replace('"pagination"', '"paging"'),
    'bad UTF-8': `${body.slice(0, -2)},"x":"\u00ff"}}`,
    'a web page': '<html>signed out</html>',
  };
  return { status: 200, body: bodies[fault] ?? body };
}

function headersOf(
  fault: Fault | null,
  { dateBehindMs }: NetworkPlan,
  nowMs: number,
): HttpResponse['headers'] {
  const [, seconds] = /Retry-After (\d+)/.exec(fault ?? '') ?? [];
  return {
    ...(dateBehindMs === null ? {} : { date: new Date(nowMs - dateBehindMs).toUTCString() }),
    ...(seconds === undefined ? {} : { 'retry-after': seconds }),
  };
}
