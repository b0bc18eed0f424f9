import type { Exchange } from '../../src/http/request.ts';
import { HttpExchangeError, mayHaveArrived } from '../../src/http/exchange-error.ts';
import type { HttpResponse } from '../../src/http/response.ts';
import type { HttpRequest } from '../../src/http/route.ts';
import { createChoices, type Choices } from './choices.ts';
import { altered, createFaults, type Fault } from './faults.ts';
import type { RunPlan } from './scenario-runs.ts';
import { streamsOf, type Scenario } from './scenario.ts';
import { audienceOf, listOf, type SimulatedApi } from './simulated-api.ts';
import type { Answer, Matters, Trace } from './simulated-list.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What the network between a process and the API depends on. */
export interface NetworkParts {
  readonly scenario: Scenario;
  readonly plan: RunPlan;
  /** Of this process. */
  readonly seed: number;
  readonly api: SimulatedApi;
  readonly time: VirtualTime;
  readonly trace: Trace;
  readonly matters: Matters;
}

const createTraffic = () => ({
  attempts: 0, // requests to lists, also over connections that are never established
  listRequests: 0, // that may have arrived
  requests: [] as string[],
  /** Faults of requests whose response arrived. */
  faults: [] as Fault[],
  hadOutage: false,
  hadHiccup: false,
  arrivals: new Map<string, number>(),
});

/** The network between one process and the API, and its traffic. */
export function createNetwork(parts: NetworkParts, seed: number) {
  const { api, matters, plan, scenario } = parts;
  const choices = createChoices(seed);
  const drawFault = createFaults(scenario.network, choices);
  const send = createTransport(parts, choices);
  const traffic = createTraffic();
  const refusalOf = createRefusals(parts, traffic);
  const faultOf = (name: string, url: URL, isList: boolean): Fault | null => {
    const refused = isList ? refusalOf(url.pathname) : null;
    const drawn = refused !== null || plan.isCalm ? null : drawFault(name, isList);
    // only a page that states its offset can be distinguished from another one
    const canShift = api.lists.get(listOf(url))?.statesOffset === true;
    if (drawn === null || (drawn === 'another offset' && !canShift)) return refused;
    matters('fault', drawn);
    matters('faultRate');
    return drawn;
  };
  const exchange: Exchange = async (request) => {
    const { method, signal, url } = request;
    const isList = method === 'GET';
    if (isList) traffic.attempts++;
    if (isList) traffic.listRequests++;
    signal.throwIfAborted();
    const name = isList ? `${url.pathname}${url.search}` : 'token';
    traffic.requests.push(name);
    const fault = faultOf(name, url, isList);
    const response = await send(name, request, fault).catch((error: unknown) => {
      if (isList && !mayHaveArrived(error)) traffic.listRequests--;
      throw error;
    });
    if (fault !== null) traffic.faults.push(fault);
    if (fault === 'response lost') throw new HttpExchangeError('ECONNRESET: socket hang up', 'broken', '');
    if (fault === 'cut') throw new HttpExchangeError('the response was truncated (aborted)', 'broken', '');
    if (response.status !== 200 || fault !== null) return response;
    traffic.arrivals.set(url.pathname, (traffic.arrivals.get(url.pathname) ?? 0) + 1);
    api.arrived(request);
    return response;
  };
  return { exchange, traffic };
}

/** Returns a function that returns the status with which a list refuses all requests at present, or null. */
function createRefusals(
  { plan: { outage, hiccup }, time, matters }: NetworkParts,
  traffic: ReturnType<typeof createNetwork>['traffic'],
) {
  let hiccupEndMs: number | null = null;
  return (path: string): Fault | null => {
    const isOut = outage !== null && traffic.attempts > outage.after;
    if (isOut && (outage.of === 'each' || path.endsWith(outage.of))) {
      traffic.hadOutage = true;
      matters('outage');
      return 'status 503';
    }
    if (hiccup === null || (traffic.arrivals.get(path) ?? 0) < hiccup.after) return null;
    hiccupEndMs ??= time.now() + hiccup.ms;
    if (time.now() >= hiccupEndMs) return null;
    traffic.hadHiccup = true;
    matters('hiccup');
    return `status ${hiccup.status}` as Fault;
  };
}

/** Returns a function that sends a request and resolves with the response, or rejects as a broken connection does. */
function createTransport(parts: NetworkParts, choices: Choices) {
  const { scenario, time, trace } = parts;
  const { minMs, maxMs } = scenario.network;
  const dateOf = createServerClock(parts, choices);
  /** Most requests are fast, a few are slow. */
  const drawTravelMs = (): number =>
    choices.between(minMs, choices.chance(90) ? Math.max(minMs, maxMs >> 2) : maxMs);
  return async (name: string, request: HttpRequest, fault: Fault | null): Promise<HttpResponse> => {
    const { signal, deadlineMs } = request;
    const [upMs, downMs] = [drawTravelMs(), drawTravelMs()];
    let response: HttpResponse | undefined;
    // the server processes what has reached it, even if the client gives up
    if (fault !== 'stall' && fault !== 'no connection')
      time.after(upMs, () => {
        const answer = answerTo(parts, request, fault);
        trace(() => `${name} → ${answer.status}${fault === null ? '' : ` (${fault})`}`);
        // a server dates a response once it is complete
        const headers = headersOf(fault, dateOf(time.now() + (downMs >> 1)));
        const body = Buffer.from(answer.body, fault === 'bad UTF-8' ? 'latin1' : 'utf8');
        response = { status: answer.status, headers, body, elapsedMs: upMs + downMs };
      });
    await time.wait(fault === 'stall' ? deadlineMs : upMs, signal);
    if (fault === 'stall')
      throw new HttpExchangeError(`no complete response within ${deadlineMs / 1000} s`, 'broken', '');
    if (response === undefined) throw new HttpExchangeError('ECONNREFUSED: connect', 'unconnected', '');
    await time.wait(downMs, signal);
    return response;
  };
}

/** Returns a function that returns the server time that a response states, or null. */
function createServerClock({ scenario, matters }: NetworkParts, { chance }: Choices) {
  const { date, dateBehindMs } = scenario.network;
  let responses = 0;
  return (nowMs: number): number | null => {
    responses++;
    const isStated = { each: true, none: false, some: chance(50), 'not first': responses > 2 }[date];
    if (!isStated) matters('dateHeader');
    if (isStated && dateBehindMs !== 0) matters('serverClock');
    return isStated ? nowMs - dateBehindMs : null;
  };
}

function answerTo({ api, scenario }: NetworkParts, request: HttpRequest, fault: Fault | null): Answer {
  if (fault === 'tokens revoked') api.tokens.revokeUsed(new Set(streamsOf(scenario).map(audienceOf)).size);
  if (fault?.startsWith('status') === true) return { status: Number(fault.slice(7, 10)), body: '' };
  const answer = fault === 'another offset' ? answerToAnother(api, request) : api.answer(request);
  return fault === null || answer.status !== 200 ? answer : altered(answer, fault);
}

/** The page at another offset, as a broken cache returns it; the requested one if there is no page. */
function answerToAnother(api: SimulatedApi, request: HttpRequest): Answer {
  const url = new URL(request.url);
  url.searchParams.set('offset', String(Number(url.searchParams.get('offset')) + 3));
  const answer = api.answer({ ...request, url });
  return answer.status === 200 ? answer : api.answer(request);
}

function headersOf(fault: Fault | null, dateMs: number | null): HttpResponse['headers'] {
  const [, seconds] = /Retry-After (\d+)/.exec(fault ?? '') ?? [];
  return {
    ...(dateMs === null ? {} : { date: new Date(dateMs).toUTCString() }),
    ...(seconds === undefined ? {} : { 'retry-after': seconds }),
  };
}
