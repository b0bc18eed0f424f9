import type { Check, RunRecord } from '../run-record.ts';

const MOST_STATE_BYTES = 256 * 1024;
const HOUR_MS = 3_600_000;

/** Requests, tokens, time and states stay within what so short a list can need. */
export const checkBounds: Check = (run) => [
  ...stateProblems(run),
  ...requestProblems(run),
  ...tokenProblems(run),
  ...timeProblems(run),
];

function stateProblems(run: RunRecord): readonly string[] {
  const largest = Math.max(
    0,
    ...run.lines.filter((line) => line.startsWith('{"type":"STATE"')).map((line) => line.length),
  );
  return largest < MOST_STATE_BYTES ? [] : [`a state has ${largest} bytes`];
}

function requestProblems(run: RunRecord): readonly string[] {
  const { listRequests } = run.ended;
  const { isVolatile, ids } = run.scenario.api.assets;
  // empty pages and faults included; each further chain reads up to a lookback of what another one reads too
  const few = 800 + 400 * run.plan.alarms.chains;
  // a list that grows with each request is longer than it was: a scan may take 16 answers for a page, of 3 rows at least
  const grown = 16 * Math.max(0, run.api.assets.rows.length - 90);
  // rows that are others in each answer count as found, until they are known for what they are
  const most = (few + grown) * (isVolatile && ids !== 'text' ? 2 : 1);
  return listRequests <= most ? [] : [`${listRequests} requests to the lists`];
}

function tokenProblems(run: RunRecord): readonly string[] {
  const { kind, areKept } = run.scenario.api.tokens;
  const most = kind === 'module' ? 12 : 6;
  if (run.tokenRequests > most) return [`${run.tokenRequests} requests for tokens`];
  // what is kept tells when the limit is reached: then no request is sent
  return areKept && run.tokenRefusals > 0 ? ['a token was asked for beyond the documented limit'] : [];
}

function timeProblems(run: RunRecord): readonly string[] {
  const hours = run.ms / HOUR_MS;
  return hours <= 24 ? [] : [`it took ${hours.toFixed(1)} hours`];
}
