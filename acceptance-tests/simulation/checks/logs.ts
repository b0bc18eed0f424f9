import { counted } from '../../../src/protocol/messages.ts';
import { logs } from '../../support/run-views.ts';
import { isComplete, type Check, type RunRecord } from '../run-record.ts';

/** A read that is limited emits no more rows than the limit, and as many if nothing else ended it. */
export const checkLimit: Check = (run) =>
  run.scenario.streams.flatMap((stream) => {
    const { limitRows } = run.plan;
    const rows = run.emitted[stream].length;
    const isCut = run.ended.how === 'exit' && run.ended.exitCode === 0 && !isComplete(run, stream);
    const isRight = limitRows === null || (isCut ? rows === limitRows : rows <= limitRows);
    return isRight ? [] : [`${stream}: ${rows} rows were emitted, and the limit is ${limitRows}`];
  });

/** The log lines of all lists are true. */
export function checkCommonLogs(views: readonly RunRecord[]): readonly string[] {
  const [run] = views;
  return run === undefined ? [] : [...summaryProblems(run, views), ...rateLimitProblems(run, views)];
}

/** The last log line counts the rows of each stream and the requests. */
function summaryProblems(run: RunRecord, views: readonly RunRecord[]): readonly string[] {
  if (run.ended.how !== 'exit' || run.messages.every(({ type }) => type !== 'STATE')) return [];
  const summary = logs(run.whole, 'INFO').at(-1) ?? '';
  const rows = views.flatMap((view) =>
    view.scenario.streams.map(
      (kind) => `${view.names[kind]} ${counted(view.emitted[kind].length, 'row', 'rows')}`,
    ),
  );
  const expected = [...rows, counted(run.ended.listRequests, 'request', 'requests')];
  const isSaid = (words: string): boolean => new RegExp(`(^|, |; )${words}\\b`).test(summary);
  return expected.every(isSaid)
    ? []
    : [`the summary is ${JSON.stringify(summary)}, not ${expected.join(', ')}`];
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
