import { errors } from '../../support/run-views.ts';
import { hasVersions, hasWrongField, isComplete, type Check, type RunRecord } from '../run-record.ts';
import { DAY_MS } from '../scenario.ts';

/** The exit code and the errors of the process are explained by what happened to it. */
export const checkOutcome: Check = (run) => {
  const { how, exitCode } = run.ended;
  if (how === 'killed') return [];
  if (how === 'stuck') return ['the process waits for something that never happens'];
  if (how === 'endless') return ['the process does not end'];
  if (how === 'stdout closed') return exitCode === 1 ? [] : [`exit code ${exitCode}, but stdout was closed`];
  const unexplained = errors(run).flatMap((error) => {
    const stream = error.stream_descriptor?.name ?? null;
    const code = (error.internal_message ?? '').replace(/:.*/s, '');
    const text = `${error.failure_type}: ${error.message}`.slice(0, 300);
    return EXPLANATIONS[code]?.(run, stream) === true ? [] : [`${stream}: ${code}, ${text}`];
  });
  if (unexplained.length > 0) return unexplained;
  const count = errors(run.whole).length;
  if ((exitCode === 0) !== (count === 0)) return [`exit code ${exitCode} with ${count} errors`];
  const incomplete = run.scenario.streams.filter((stream) => !isComplete(run, stream));
  const isAllowed = count > 0 || run.plan.limitRows !== null || incomplete.length === 0;
  return isAllowed ? [] : [`${incomplete.join()} incomplete, exit code 0`];
};

const EXPLANATIONS: Readonly<Record<string, (run: RunRecord, stream: string | null) => boolean>> = {
  ABORTED: ({ ended }) => ended.wasStopped,
  // a start date in the future, as the server or, if it states no time, the local clock sees it
  CONFIG_INVALID: ({ plan, scenario }, stream) =>
    stream === 'alarms' &&
    Date.parse(plan.alarms.start_date ?? '1970-01-01') > scenario.startMs - MAX_BEHIND_MS,
  API_UNAVAILABLE: (run, stream) =>
    run.ended.hadOutage ||
    // before its first page, a read waits for a minute, which one response that never comes takes
    (stream !== null && hasNothing(run, stream)) ||
    run.ended.hadHiccup ||
    mayWaitForToken(run.api.tokens.counts) ||
    mayFailForCursor(run),
  // the line of the only state was truncated
  STATE_INVALID: ({ state }) => state !== null && !hasWholeState(state),
  FIELD_UNUSABLE: (run, stream) => stream === 'alarms' && (hasWrongField(run) || showedNoTime(run)),
  NOT_FOUND: isStartRefused,
  REQUEST_REFUSED: isStartRefused,
  // a process that was killed may leave a revoked token to the next one
  UNAUTHORIZED: (run) => run.api.tokens.counts.revoked > 0 || maySeemFresh(run),
  TOKEN_LIMIT: ({
    api,
    scenario: {
      api: { tokens },
    },
  }) => !tokens.areKept || tokens.kind === 'module' || api.tokens.counts.allRequests > 10,
  // rows that change each time, or are never received again, look like new rows
  PAGES_UNUSABLE: ({ scenario }, stream) =>
    stream === 'assets' &&
    (['absent', 'mixed'].includes(scenario.api.assets.ids) || scenario.api.assets.offsets !== 'any'),
  ROWS_MISSING: (run, stream) =>
    stream === 'assets' && (isTotalHigh(run) || isLimited(run) || run.scenario.api.assets.ids === 'shared'),
  // a read that starts over does not count the rows that it emitted before
  TOO_FEW_ROWS: ({ api, emitted, plan }, stream) =>
    stream === 'assets' &&
    (emitted.assets.length < plan.minRows || listedRows(api.assets.rows) < plan.minRows),
  // a total that is too large looks like a limit, and so may rows with equal keys if others are shown past the end
  OFFSET_LIMITED: (run, stream) =>
    stream === 'assets' &&
    (isLimited(run) ||
      run.scenario.api.assets.offsets !== 'any' ||
      // versions of rows without a key hide where the list ends
      hasVersions(run) ||
      (isTotalHigh(run) && run.plan.missingRows === 'fail') ||
      (showsRowsPastEnd(run) && run.scenario.api.assets.ids === 'shared')),
  // pages of a few rows cannot overlap everywhere if they begin at multiples of their size
  LIST_UNSTABLE: (run, stream) =>
    stream === 'assets' &&
    (isNeverTied(run) || isEndUnknown(run) || run.scenario.api.assets.offsets !== 'any'),
  // rows may be read again for longer than a cursor is valid: without order, or if stdout is read slowly. An end before a row that was
  // seen is not accepted, even if the row was deleted, or its time is not the one that `createdSince` refers to
  CURSOR_LOOP: (run, stream) =>
    stream === 'alarms' &&
    (doCursorsExpire(run.scenario) || run.scenario.api.alarms.deletePercent > 0 || hasWrongField(run)),
};

/** Whether no row of a list has reached this read, because requests met faults. */
function hasNothing({ emitted, scenario }: RunRecord, stream: string): boolean {
  const rows = stream === 'assets' ? emitted.assets : emitted.alarms;
  return scenario.drawn['faultRate'] !== 'none' && rows.length === 0;
}

/** How far the clocks of a scenario are behind at most. */
const MAX_BEHIND_MS = 4 * 3_600_000;

/** Whether an expired token may seem fresh to this read and the next ones: the clock was set back, and stdout was not read for long. */
function maySeemFresh({ api, plan, scenario: { runs } }: RunRecord): boolean {
  const before = runs.slice(0, runs.indexOf(plan) + 1);
  const wasSetBack = before.some(({ clockChange, sink }) => clockChange !== null && sink.stall !== null);
  return api.tokens.counts.expired > 0 && wasSetBack;
}

/** Whether no row that the server has shown has a time. */
function showedNoTime({ api }: RunRecord): boolean {
  const shown = api.alarms.served.flatMap(({ rows }) => rows);
  return shown.every((row) => api.alarms.rows[row]?.isTimed !== true);
}

/** Whether the first range may be refused because it is after the newest row, or its times are not those of the bound. */
function isStartRefused(run: RunRecord, stream: string | null): boolean {
  const { emitted, scenario } = run;
  return (
    stream === 'alarms' &&
    scenario.api.alarms.noRowsStatus !== null &&
    (emitted.alarms.length === 0 || hasWrongField(run) || scenario.api.alarms.boundTime === 'received')
  );
}

function listedRows(rows: RunRecord['api']['assets']['rows']): number {
  return rows.filter(({ until }) => until === Infinity).length;
}

function hasWholeState(file: Buffer): boolean {
  const lines = file.toString().split('\n').slice(0, -1);
  return file.toString().startsWith('[') || lines.some((line) => /^\{"type":"STATE".*\}$/.test(line));
}

/** Whether totals may count more rows than the list contains. */
function isTotalHigh(run: RunRecord): boolean {
  const { totals } = run.scenario.api.assets;
  // the rows shown past the end are not those of the offset to which they are added
  const isShifted = totals === 'what was shown' && showsRowsPastEnd(run);
  return totals === 'too large' || totals === 'stale' || isShifted;
}

/** Whether rows are shown past the end of the list. */
export function showsRowsPastEnd({ scenario }: RunRecord): boolean {
  const { pastEnd } = scenario.api.assets;
  return pastEnd === 'first page' || pastEnd === 'last page' || pastEnd === 'last page by number';
}

function isLimited({ api, scenario }: RunRecord): boolean {
  return api.assets.rows.length > (scenario.api.assets.depth ?? Infinity);
}

/**
 * Whether about a page of rows is inserted before each request, or while the requests in flight are answered, or rows without a key look
 * new each time.
 */
function isNeverTied(run: RunRecord): boolean {
  const { ended, plan, scenario } = run;
  const { depth, inserts, maxPerPage, shortPercent } = scenario.api.assets;
  const limit = /^\/v1\/assets\?limit=(\d+)/.exec(
    ended.requests.findLast((name) => name.startsWith('/v1/assets?')) ?? '',
  );
  // short pages have half the rows on average
  const page = Math.min(Number(limit?.[1]), maxPerPage, depth ?? Infinity);
  const rows = Math.floor(page * (1 - shortPercent / 200));
  const isOutrun = inserts.max * plan.concurrency >= rows - 1;
  return (inserts.percent === 100 && isOutrun) || hasVersions(run);
}

/** Whether neither a page nor a total shows the end of a list that changes. */
function isEndUnknown(run: RunRecord): boolean {
  const { inserts, pastEnd, totals } = run.scenario.api.assets;
  // a row inserted before each request makes each first page a new one, and so the last page before a limit
  const isNew = pastEnd === 'first page' || (pastEnd === 'last page' && isLimited(run));
  const isRestless = isNew && inserts.percent === 100;
  return isRestless || (showsRowsPastEnd(run) && totals !== 'right');
}

/** Whether two tokens were refused in quick succession: since tokens are scarce, the second is not replaced at once. */
function mayWaitForToken({ revoked, expired }: RunRecord['api']['tokens']['counts']): boolean {
  return revoked > 0 && revoked + expired > 1;
}

/**
 * Whether an expired cursor, refused with a 500, may end the read: the last of several failed attempts was a network fault, or the
 * cursor expired again at the same row because stdout is read slowly.
 */
function mayFailForCursor({ scenario, plan }: RunRecord): boolean {
  const isSlow = doCursorsExpire(scenario) && plan.sink.delayMs > 0;
  return scenario.api.alarms.cursors.expired === 500 && (scenario.network.faultPercent > 0 || isSlow);
}

/** Whether a cursor may expire during a read. */
function doCursorsExpire({ api }: RunRecord['scenario']): boolean {
  return api.alarms.cursors.lifeMs < DAY_MS;
}
