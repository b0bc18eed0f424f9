import { errors } from '../../support/run-views.ts';
import { hasWrongField, isComplete } from '../run-record.ts';
import type { Check, RunRecord } from '../run-record.ts';

/** The process ended in a way that what happened to it explains, with the exit code and the errors that go with it. */
export const checkOutcome: Check = (run) => {
  const { how, exitCode } = run.ended;
  if (how === 'killed') return [];
  if (how === 'stuck') return ['the process waits for something that never comes'];
  if (how === 'endless') return ['the process does not come to an end'];
  if (how === 'reader gone') return exitCode === 1 ? [] : [`exit code ${exitCode}, but the reader went away`];
  const found = errors(run);
  const unexplained = found.flatMap((error) => {
    const stream = error.stream_descriptor?.name ?? null;
    const code = (error.internal_message ?? '').replace(/:.*/s, '');
    const words = `${error.failure_type}: ${error.message}`.slice(0, 300);
    return isExplained(run, stream, code) ? [] : [`${stream}: ${code}, ${words}`];
  });
  if (unexplained.length > 0) return unexplained;
  const all = errors(run.whole).length;
  const isFine = all === 0;
  if ((exitCode === 0) !== isFine) return [`exit code ${exitCode} with ${all} errors`];
  const incomplete = run.scenario.streams.filter((stream) => !isComplete(run, stream));
  const isCut = run.plan.limitRows !== null;
  return isFine && !isCut && incomplete.length > 0 ? [`${incomplete.join()} incomplete, exit code 0`] : [];
};

function hasWholeState(file: Buffer): boolean {
  const lines = file.toString().split('\n').slice(0, -1);
  return file.toString().startsWith('[') || lines.some((line) => /^\{"type":"STATE".*\}$/.test(line));
}

/** Whether what was done to a read may make it fail like that. */
function isExplained(run: RunRecord, stream: string | null, code: string): boolean {
  const { ended, scenario, api, state } = run;
  const { tokens, assets, alarms } = scenario.api;
  const isTotalHigh = assets.totals === 'too large' || assets.totals === 'stale';
  const isLimited = api.assets.rows.length > (assets.depth ?? Infinity);
  switch (code) {
    case 'ABORTED':
      return ended.wasStopped;
    case 'API_UNAVAILABLE':
      // tokens are scarce: one that is revoked soon after another is not replaced at once
      return ended.hadOutage || ended.hadHiccup || api.tokens.counts.revoked > 1;
    case 'STATE_INVALID':
      // of the only state no more is there than what was written of its line
      return state !== null && !hasWholeState(state);
    case 'FIELD_UNUSABLE':
      return stream === 'alarms' && hasWrongField(run);
    case 'NOT_FOUND':
    case 'REQUEST_REFUSED':
      // of the first range nobody knows that it is the time after the newest row
      return stream === 'alarms' && alarms.noRowsStatus !== null && run.emitted.alarms.length === 0;
    case 'UNAUTHORIZED':
      // a process that was killed may leave a token to the next one that has been revoked
      return api.tokens.counts.revoked > 0;
    case 'TOKEN_LIMIT':
      return !tokens.areKept || tokens.kind === 'module' || api.tokens.counts.allRequests > 10;
    case 'PAGES_UNUSABLE':
      // rows that look different each time, or are never met again, cannot be told from new ones
      return stream === 'assets' && (assets.ids === 'absent' || assets.ids === 'mixed');
    case 'ROWS_MISSING':
      // these totals may tell of more rows than the list shows
      return stream === 'assets' && (isTotalHigh || isLimited);
    case 'TOO_FEW_ROWS':
      return stream === 'assets' && run.emitted.assets.length < run.plan.minRows;
    case 'OFFSET_LIMITED':
      // a total that is too large looks like a limit
      return stream === 'assets' && (isLimited || (isTotalHigh && run.plan.missingRows === 'fail'));
    case 'LIST_UNSTABLE':
      // such rows tie nothing, and where no page is ever seen twice the end cannot be told from more of them
      return (
        stream === 'assets' &&
        ((assets.isVolatile && assets.ids === 'mixed' && assets.inserts.percent === 100) ||
          // neither a page nor a total tells the end of a list that moves
          (String(assets.pastEnd).endsWith('page') &&
            assets.pastEnd !== 'empty page' &&
            assets.totals !== 'right'))
      );
    case 'CURSOR_LOOP':
      // what has been read may be read again for longer than a cursor lives: without order, or with a slow reader
      return stream === 'alarms' && Number.isFinite(alarms.cursors.lifeMs);
    default:
      return false;
  }
}
