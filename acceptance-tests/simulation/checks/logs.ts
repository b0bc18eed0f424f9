import { logs } from '../../support/run-views.ts';
import { counted, grouped } from '../../../src/protocol/messages.ts';
import { isComplete } from '../run-record.ts';
import type { Check, RunRecord } from '../run-record.ts';
import type { ListName } from '../scenario.ts';

/** What log lines of a list count is true. */
export const checkLogs: Check = (run) => [...repeatProblems(run), ...cutProblems(run)];

/** What log lines of all lists say is true. */
export function checkCommonLogs(views: readonly RunRecord[]): readonly string[] {
  const [run] = views;
  return run === undefined ? [] : [...summaryProblems(run, views), ...limitProblems(run, views)];
}

/** The last line of a read that came to its end. */
function summaryProblems(run: RunRecord, views: readonly RunRecord[]): readonly string[] {
  const summary = logs(run.whole, 'INFO').find((words) => / tokens? requested, /.test(words));
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
  const told = `${rows.join(', ')}; ${counted(run.ended.listRequests, 'request', 'requests')}, `;
  return summary.replaceAll(/, newest [^)]*| \(newest [^)]*\)/g, '').startsWith(told)
    ? []
    : [`the summary is ${JSON.stringify(summary)}, not ${JSON.stringify(told)}`];
}

/** What is said to have come again had been emitted: by a read before, or earlier in this one. */
function repeatProblems(run: RunRecord): readonly string[] {
  const { covered, mayRepeat } = run.startProgress.alarms;
  if (mayRepeat) return [];
  const { emitted, api } = run;
  const twinOf = (row: number): number | undefined => api.alarms.rows[row]?.twin;
  const known = new Set([...covered, ...emitted.alarms].map(twinOf));
  const shown = api.alarms.served.flatMap(({ rows }) => rows).filter((row) => known.has(twinOf(row)));
  const most = shown.length - emitted.alarms.length;
  return logs(run, 'INFO').flatMap((words) => {
    const [, count = '0'] = /^alarms: (\d+) rows were received again/.exec(words) ?? [];
    return Number(count) <= most ? [] : [`${count} rows are said to have come again, but ${most} did`];
  });
}

function cutProblems(run: RunRecord): readonly string[] {
  return logs(run, 'WARN').flatMap((words) => {
    const [, stream, count] = /^(assets|alarms): cut short after ([\d,]+) rows?,/.exec(words) ?? [];
    if (stream === undefined) return [];
    const rows = run.emitted[stream as ListName].length;
    return count === grouped(rows) && rows === run.plan.limitRows
      ? []
      : [`cut short after ${count} rows, but ${rows} came, of ${run.plan.limitRows} that were wanted`];
  });
}

/** A rate limit is waited out in the open. */
function limitProblems(run: RunRecord, views: readonly RunRecord[]): readonly string[] {
  if (run.ended.exitCode !== 0) return [];
  const limits = run.ended.faults.filter((fault) => fault.startsWith('status 429')).length;
  const isTold = run.ended.output.includes('"RATE_LIMITED"');
  // a read that has what it needs does not wait for what it had asked for ahead
  const mostAhead = views.reduce((sum, { plan }) => sum + plan.concurrency + plan.alarms.parallel_chains, 0);
  return limits > mostAhead && !isTold
    ? [`${limits} answers were a 429, and nothing was said of a rate limit`]
    : [];
}
