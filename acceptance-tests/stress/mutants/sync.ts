import type { Mutant } from './mutant.ts';

/** Faults in a run: when states leave, statuses, the row limit, the summary, the progress line. */
export const SYNC_MUTANTS: readonly Mutant[] = [
  {
    file: 'src/sync/checkpoint.ts',
    text: 'return Buffer.concat([records, stateLine(pending())]);',
    planted: 'return Buffer.concat([stateLine(pending()), records]);',
    breaks: 'a state leaves before the records that it covers',
  },
  {
    file: 'src/sync/checkpoint.ts',
    text: 'const line = messageLines([stateMessage(stream, state, rowsSinceState)], redactor);\n    rowsSinceState = 0;\n    pending = null;',
    planted:
      'const line = messageLines([stateMessage(stream, state, rowsSinceState)], redactor);\n    pending = null;',
    breaks: 'recordCount counts rows twice',
  },
  {
    file: 'src/sync/checkpoint.ts',
    text: 'last: (): Buffer | null => (pending === null ? null : stateLine(pending())),',
    planted: 'last: (): Buffer | null => null,',
    breaks: 'the last state is not written',
  },
  {
    file: 'src/sync/checkpoint.ts',
    text: 'return written === null ? null : stateLine(written);',
    planted: 'rowsSinceState = 0;\n      return written === null ? null : stateLine(written);',
    breaks: 'a state that is said again counts no rows',
  },
  {
    file: 'src/sync/read-stream.ts',
    text: '{ rows: batch.rows.slice(0, room), state: null } : batch;',
    planted: '{ ...batch, rows: batch.rows.slice(0, room) } : batch;',
    breaks: 'a row limit inside a page leaves the state behind that page',
  },
  {
    file: 'src/sync/read-stream.ts',
    text: 'const isCut = batch.rows.length > room;',
    planted: 'const isCut = batch.rows.length > room + 1;',
    breaks: 'a row limit lets one row too many through',
  },
  {
    file: 'src/sync/run.ts',
    text: 'results.every(({ complete, isCutShort }) => complete || isCutShort)',
    planted: 'results.some(({ complete, isCutShort }) => complete || isCutShort)',
    breaks: 'exit code 0 though one stream has failed',
  },
  {
    file: 'src/sync/run.ts',
    text: '${requests} requests, ',
    planted: '${requests + retries} requests, ',
    breaks: 'the summary counts requests wrong',
  },
  {
    file: 'src/sync/read-stream.ts',
    text: 'signal.aborted ? signal.reason : error;',
    planted: 'error;',
    breaks: 'a stream that is told to stop calls that a failure of the API',
    nearest: ['src/sync/read-stream.test.ts'],
  },
  {
    file: 'src/sync/read-stream.ts',
    text: 'if (!rateLimited) return;',
    planted: '',
    breaks: 'every wait is told as one for a rate limit',
    nearest: ['src/sync/read-stream.test.ts'],
  },
  {
    file: 'src/sync/read-stream.ts',
    text: 'if (lines.length > 0) heartbeat.touch();',
    planted: '',
    breaks: 'a state is said again every five minutes though rows flow',
    nearest: ['src/sync/read-stream.test.ts'],
  },
  {
    file: 'src/sync/read-stream.ts',
    text: 'isEstimated ||= total !== undefined;',
    planted: '',
    breaks: 'the rows to expect are told with every page',
    nearest: ['src/sync/read-stream.test.ts'],
  },
  {
    file: 'src/sync/checkpoint.ts',
    text: 'nowMs - lastStateMs < stateEveryMs',
    planted: 'nowMs - lastStateMs <= stateEveryMs',
    breaks: 'with --state-every 0 a page of the same millisecond leaves without a state',
    nearest: ['src/sync/checkpoint.test.ts'],
  },
  {
    file: 'src/sync/progress.ts',
    text: 'covered: batch.covered ?? before.covered + batch.rows.length,',
    planted: 'covered: before.covered + batch.rows.length,',
    breaks: 'the share of a resumed read begins at zero',
    nearest: ['src/sync/progress-board.test.ts'],
  },
  {
    file: 'src/sync/progress-line.ts',
    text: 'Math.min(1, covered / total)',
    planted: 'covered / total',
    breaks: 'a list that has grown makes its bar longer than it is',
    nearest: ['src/sync/progress-line.test.ts'],
  },
];
