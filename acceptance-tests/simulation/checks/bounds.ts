import { audiencesOf } from '../simulated-api.ts';
import type { Check, RunRecord } from '../run-record.ts';
import { DAY_MS } from '../scenario.ts';

const MAX_STATE_BYTES = 256 * 1024;
const HOUR_MS = 3_600_000;
/** More requests than one chain needs, with empty pages and faults. */
const MAX_CHAIN = 250;

/** Requests, tokens, time and states stay within what such short lists can need. */
export const checkBounds: Check = (run) => {
  const paths = run.scenario.streams.map((kind) => `/v1/${run.names[kind]}`);
  const listRequests = run.ended.requests.filter((name) => paths.includes(name.split('?')[0] ?? '')).length;
  const states = run.lines.filter((_, at) => run.messages[at]?.type === 'STATE');
  const largest = Math.max(0, ...states.map(({ length }) => length));
  return [
    ...(largest < MAX_STATE_BYTES ? [] : [`a state has ${largest} bytes`]),
    ...(listRequests <= maxRequests(run) ? [] : [`${listRequests} requests to the lists`]),
    ...tokenProblems(run),
    ...(run.ms <= DAY_MS + requestsAgain(run) * run.plan.sink.delayMs
      ? []
      : [`it took ${(run.ms / DAY_MS).toFixed(1)} days`]),
  ];
};

function maxRequests(run: RunRecord): number {
  const { scenario, api } = run;
  const { isVolatile, ids } = scenario.api.assets;
  // includes empty pages and faults; each further chain may overlap another one by a lookback
  const chains = Math.max(...scenario.runs.map(({ alarms }) => alarms.parallel_chains));
  const base = 1200 + 400 * chains;
  // for a list that grows with each request, a scan may need 16 responses per page of at least 3 rows
  const grown = 16 * Math.max(0, api.assets.rows.length - 90);
  // rows that change with each response count as new until they are recognized, in each pass over a list that states more rows
  return (base + grown) * (isVolatile && ids !== 'text' ? 4 : 1) + requestsAgain(run);
}

/**
 * A chain begins with a request without a cursor. One that follows another, whose cursor has expired, may read again what that one has
 * read; so may one that jumped in ahead.
 */
function requestsAgain({ names, scenario, plan, ended }: RunRecord): number {
  if (!scenario.streams.includes('alarms')) return 0;
  const begins = ended.requests.filter(
    (name) => name.startsWith(`/v1/${names.alarms}?`) && !/[?&]after=/.test(name),
  );
  return Math.max(0, begins.length - plan.alarms.parallel_chains) * MAX_CHAIN;
}

function tokenProblems({ api, ms, scenario }: RunRecord): readonly string[] {
  const { kind, areKept } = scenario.api.tokens;
  const { requests, refusals } = api.tokens.counts;
  // a token for one module is valid for an hour
  const max = kind === 'module' ? (6 + Math.floor(ms / HOUR_MS)) * audiencesOf(scenario).size : 6;
  if (requests > max) return [`${requests} token requests`];
  // the cache shows when the limit is reached: then no request is sent
  const isClockSteady = scenario.runs.every(({ clockChange }) => clockChange === null);
  return areKept && isClockSteady && refusals > 0
    ? ['a token was requested beyond the documented limit']
    : [];
}
