import { HttpExchangeError } from '../../src/http/answer.ts';
import type { Exchange, HttpRequest, HttpResponse } from '../../src/http/request.ts';
import { createRandom } from '../sandbox/data/random.ts';
import type { Random } from '../sandbox/data/random.ts';
import { between, chance } from './choice.ts';
import { createFaults } from './faults.ts';
import type { Fault, FaultPlan } from './faults.ts';
import type { RunPlan } from './run-plan.ts';
import type { SimulatedApi } from './simulated-api.ts';
import type { Answer } from './simulated-list.ts';
import type { VirtualTime } from './virtual-time.ts';
import type { Tell } from './tell.ts';

/** How long requests take, and what becomes of them. */
export interface NetworkPlan {
  /** ms each way: answers overtake each other. */
  readonly leastMs: number;
  readonly mostMs: number;
  /** What the server says of its time: how many ms behind it is, or nothing at all. */
  readonly dateBehindMs: number | null;
  readonly faults: FaultPlan;
}

export interface NetworkParts {
  readonly plan: NetworkPlan;
  readonly seed: number;
  readonly api: SimulatedApi;
  readonly time: VirtualTime;
  readonly isCalm: boolean;
  /** Lists that are read. */
  readonly lists: number;
  readonly outage: RunPlan['outage'];
  /** True once the process is dead: what it still has on the way never arrives. */
  readonly isDead: () => boolean;
  readonly tell: Tell;
}

export interface Network {
  readonly exchange: Exchange;
  /** Requests that were sent to the lists. */
  readonly listRequests: () => number;
  /** What befell requests whose answer came. */
  readonly faults: () => readonly Fault[];
  /** True once the API was out of order. */
  readonly hadOutage: () => boolean;
}

/** The way of one process to the API. */
export function createNetwork(parts: NetworkParts): Network {
  const { plan, time, api, tell } = parts;
  const random = createRandom(parts.seed);
  const faultOf = createFaults(plan.faults, random, parts.isCalm);
  let sent = 0;
  let hadOutage = false;
  const faults: Fault[] = [];

  const arrive = (asked: HttpRequest, name: string, fault: Fault | null): Answer => {
    const request = fault === 'another offset' ? shifted(asked) : asked;
    if (fault === 'tokens revoked') api.tokens.revokeUsed(parts.lists);
    if (fault?.startsWith('status') === true) return { status: Number(fault.slice(7, 10)), body: '' };
    const answer = api.answer(request, name);
    return fault === null ? answer : altered(answer, fault);
  };

  return {
    listRequests: () => sent,
    hadOutage: () => hadOutage,
    faults: () => faults,
    exchange: (request) => {
      const { signal, deadlineMs, method, url } = request;
      const isList = method === 'GET';
      if (isList) sent++;
      signal.throwIfAborted();
      const isOut = isList && isOutOfOrder(parts.outage, url, sent);
      hadOutage ||= isOut;
      const name = isList ? `${url.pathname}${url.search}` : 'token';
      const drawn = isOut ? 'status 503' : faultOf(name, isList);
      // only a page that says where it stands can be told from another one
      const fault = drawn === 'another offset' && !canShift(api, url) ? null : drawn;
      const [up, down] = [travel(random, plan), travel(random, plan)];
      return new Promise<HttpResponse>((resolve, reject) => {
        const take: (() => void)[] = [];
        const settle = (end: () => void): void => {
          for (const back of take) back();
          signal.removeEventListener('abort', giveUp);
          end();
        };
        const fail = (error: Error): void => settle(() => reject(error));
        const giveUp = (): void => fail(signal.reason as Error);
        signal.addEventListener('abort', giveUp);
        take.push(
          time.after(deadlineMs, () =>
            fail(new HttpExchangeError(`no whole answer within ${deadlineMs / 1000} s`)),
          ),
        );
        if (fault === 'stall') return;
        if (fault === 'no connection') {
          take.push(time.after(up, () => fail(new HttpExchangeError('ECONNREFUSED: connect'))));
          return;
        }
        // the server goes on with what has reached it, whoever gives up
        time.after(up, () => {
          if (parts.isDead()) return;
          const answer = arrive(request, name, fault);
          tell(() => `${name} → ${answer.status}${fault === null ? '' : ` (${fault})`}`);
          // a server stamps its answer when it has made it, not when it looked at the list
          const headers = headersOf(answer, fault, plan, time.now() + (down >> 1));
          take.push(
            time.after(down, () => {
              if (fault !== null) faults.push(fault);
              if (fault === 'answer lost') fail(new HttpExchangeError('ECONNRESET: socket hang up'));
              else if (fault === 'cut') fail(new HttpExchangeError('the answer was cut off (aborted)'));
              else
                settle(() => {
                  if (answer.status === 200 && fault === null) api.arrived(request);
                  resolve({
                    status: answer.status,
                    headers,
                    body: Buffer.from(answer.body, fault === 'bad UTF-8' ? 'latin1' : 'utf8'),
                    elapsedMs: up + down,
                  });
                });
            }),
          );
        });
      });
    },
  };
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

function altered(answer: Answer, fault: Fault): Answer {
  if (answer.status !== 200) return answer;
  const { body } = answer;
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
  { status }: Answer,
  fault: Fault | null,
  { dateBehindMs }: NetworkPlan,
  nowMs: number,
): HttpResponse['headers'] {
  const date = dateBehindMs === null ? {} : { date: new Date(nowMs - dateBehindMs).toUTCString() };
  if (status !== 429) return date;
  if (fault === 'status 429, Retry-After 7') return { ...date, 'retry-after': '7' };
  if (fault === 'status 429, Retry-After 0') return { ...date, 'retry-after': '0' };
  return date;
}
