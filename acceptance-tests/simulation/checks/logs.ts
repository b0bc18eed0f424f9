import { counted, grouped } from '../../../src/protocol/messages.ts';
import { logs } from '../../support/run-views.ts';
import { isComplete, type Check, type RunRecord } from '../run-record.ts';
import type { ListName } from '../scenario.ts';

/** The counts in log lines of a list are true. */
export const checkLogs: Check = (run) => [...repeatProblems(run), ...limitProblems(run)];

/** The log lines of all lists are true. */
export function checkCommonLogs(views: readonly RunRecord[]): readonly string[] {
  const [run] = views;
  return run === undefined ? [] : [...summaryProblems(run, views), ...rateLimitProblems(run, views)];
}

function summaryProblems(run: RunRecord, views: readonly RunRecord[]): readonly string[] {
  const summary = logs(run.whole, 'INFO').find((line) => / tokens? requested, /.test(line));
  if (summary === undefined)
    return run.ended.how === 'exit' && run.messages.some(({ type }) => type === 'STATE')
      ? ['there is no summary']
      : [];
  const rows = views.flatMap((view) =>
    view.scenario.streams.map((kind) => {
      const count = counted(view.emitted[kind].length, 'row', 'rows');
      return `${view.names[kind]} ${count}${isComplete(view, kind) ? '' : ' (incomplete)'}`;
    }),
  );
  const expected = `${rows.join(', ')}; ${counted(run.ended.listRequests, 'request', 'requests')}, `;
  return summary.replaceAll(/, newest [^)]*| \(newest [^)]*\)/g, '').startsWith(expected)
    ? []
    : [`the summary is ${JSON.stringify(summary)}, not ${JSON.stringify(expected)}`];
}

/** Rows that are said to be skipped were emitted before, by this read or an earlier one. */
function repeatProblems(run: RunRecord): readonly string[] {
  const { covered, mayRepeat } = run.startProgress.alarms;
  if (mayRepeat) return [];
  const { emitted, api } = run;
  const twinOf = (row: number): number | undefined => api.alarms.rows[row]?.twin;
  const known = new Set([...covered, ...emitted.alarms].map(twinOf));
  const shown = api.alarms.served.flatMap(({ rows }) => rows).filter((row) => known.has(twinOf(row)));
  const max = shown.length - emitted.alarms.length;
  return logs(run, 'INFO').flatMap((line) => {
    const [, count = '0'] = /^alarms: skipped ([\d,]+) rows? that had already been emitted/.exec(line) ?? [];
    const skipped = Number(count.replaceAll(',', ''));
    return skipped <= max ? [] : [`${count} rows are said to be skipped, but ${max} were received again`];
  });
}

function limitProblems(run: RunRecord): readonly string[] {
  return logs(run, 'INFO').flatMap((line) => {
    const [, stream, count] = /^(assets|alarms): stopped after ([\d,]+) rows?,/.exec(line) ?? [];
    if (stream === undefined) return [];
    const rows = run.emitted[stream as ListName].length;
    return count === grouped(rows) && rows === run.plan.limitRows
      ? []
      : [`stopped after ${count} rows, but ${rows} were emitted, and the limit is ${run.plan.limitRows}`];
  });
}

function rateLimitProblems(run: RunRecord, views: readonly RunRecord[]): readonly string[] {
  if (run.ended.exitCode !== 0) return [];
  const limits = run.ended.faults.filter((fault) => fault.startsWith('status 429')).length;
  // a read that has all rows does not wait for responses that it no longer needs
  const maxAhead = views.reduce((sum, { plan }) => sum + plan.concurrency + plan.alarms.parallel_chains, 0);
  return limits > maxAhead && !run.ended.output.includes('"RATE_LIMITED"')
    ? [`${limits} responses were a 429, and no rate limit was announced`]
    : [];
}
