import { audienceOf } from '../simulated-api.ts';
import type { Check, RunRecord } from '../run-record.ts';

const MAX_STATE_BYTES = 256 * 1024;
const DAY_MS = 86_400_000;

/** Requests, tokens, time and states stay within what so short a list can need. */
export const checkBounds: Check = (run) => {
  const own = run.scenario.streams.map((kind) => run.names[kind]);
  const listRequests = run.ended.requests.filter((name) => own.some((list) => isSentTo(list, name))).length;
  const states = run.lines.filter((_, at) => run.messages[at]?.type === 'STATE');
  const largest = Math.max(0, ...states.map(({ length }) => length));
  return [
    ...(largest < MAX_STATE_BYTES ? [] : [`a state has ${largest} bytes`]),
    ...(listRequests <= maxRequests(run) ? [] : [`${listRequests} requests to the lists`]),
    ...tokenProblems(run),
    ...(run.ms <= DAY_MS ? [] : [`it took ${(run.ms / DAY_MS).toFixed(1)} days`]),
  ];
};

function isSentTo(list: string, request: string): boolean {
  return request.split('?')[0] === `/v1/${list}`;
}

function maxRequests({ scenario, api }: RunRecord): number {
  const { isVolatile, ids } = scenario.api.assets;
  // empty pages, faults and confirmed ends included; each further chain reads up to a lookback of what another one reads too
  const chains = Math.max(...scenario.runs.map(({ alarms }) => alarms.parallel_chains));
  const few = 1200 + 400 * chains;
  // a list that grows with each request is longer than it was: a scan may take 16 answers for a page, of 3 rows at least
  const grown = 16 * Math.max(0, api.assets.rows.length - 90);
  // rows that are others in each answer count as found, until they are known for what they are
  return (few + grown) * (isVolatile && ids !== 'text' ? 2 : 1);
}

function tokenProblems({ api, scenario }: RunRecord): readonly string[] {
  const { kind, areKept } = scenario.api.tokens;
  const { requests, refusals } = api.tokens.counts;
  const audiences = new Set(
    ['assets', 'alarms', ...scenario.further.map(({ name }) => name)].map(audienceOf),
  );
  if (requests > (kind === 'module' ? 6 * audiences.size : 6)) return [`${requests} requests for tokens`];
  // what is kept tells when the limit is reached: then no request is sent
  const isClockSteady = scenario.runs.every(({ clockChange }) => clockChange === null);
  return areKept && isClockSteady && refusals > 0
    ? ['a token was asked for beyond the documented limit']
    : [];
}
