import { SIMULATION, plantedIn } from './mutant.ts';

/** Faults in a run: when states leave, statuses, the row limit, the summary, the progress line. */
export const SYNC_MUTANTS = [
  ...plantedIn('src/sync/checkpoint.ts', SIMULATION, {
    'a state leaves before the records that it covers':
      'return Buffer.concat([«records, stateLine(pending()) → stateLine(pending()), records»]);',
    'recordCount counts rows twice': 'rowsSinceState)], redactor);\n    «rowsSinceState = 0; → »',
    'the last state is not written':
      'last: (): Buffer | null => «(pending === null ? null : stateLine(pending())) → null»,',
    'a state that is said again counts no rows':
      '«return → rowsSinceState = 0;\n      return» written === null ? null : stateLine(written);',
  }),
  ...plantedIn('src/sync/checkpoint.ts', ['src/sync/checkpoint.test.ts'], {
    'with --state-every 0 a page of the same millisecond leaves without a state':
      'nowMs - lastStateMs <« → =» stateEveryMs',
  }),
  ...plantedIn('src/sync/read-stream.ts', SIMULATION, {
    'a row limit inside a page leaves the state behind that page':
      'rows: batch.rows.slice(0, room), state: «null → batch.state» } : batch;',
    'a row limit lets one row too many through': 'const isCut = batch.rows.length > room« →  + 1»;',
  }),
  ...plantedIn('src/sync/read-stream.ts', ['src/sync/read-stream.test.ts'], {
    'a stream that is told to stop calls that a failure of the API':
      '«signal.aborted ? signal.reason :  → »error;',
    'every wait is told as one for a rate limit': '«if (!rateLimited) return; → »',
    'a state is said again every five minutes though rows flow':
      '«if (lines.length > 0) heartbeat.touch(); → »',
    'the rows to expect are told with every page': '«isEstimated ||= total !== undefined; → »',
  }),
  ...plantedIn('src/sync/run.ts', SIMULATION, {
    'exit code 0 though one stream has failed':
      "results.«every → some»(({ outcome }) => outcome !== 'failed')",
    'the summary counts requests wrong': '${requests« →  + retries»} requests, ',
  }),
  ...plantedIn('src/sync/progress.ts', ['src/sync/progress-board.test.ts'], {
    'the share of a resumed read begins at zero':
      'covered: «batch.covered ??  → »covered + batch.rows.length,',
  }),
  ...plantedIn('src/sync/progress-line.ts', ['src/sync/progress-line.test.ts'], {
    'a list that has grown makes its bar longer than it is':
      '«Math.min(1, covered / total) → covered / total»',
  }),
];
