/** Faults in runs, streams and schemas: states, samples, summaries, progress. */
export const STREAMS = {
  'streams/offset-outcome': {
    'a short list is complete': "if («rows < expected && missing === 'fail' → false») return limitedAt",
    'min_rows says nothing': 'if («rows < minRows → false») return',
  },
  'streams/offset-stream < suites/commands/api-variants': {
    'the read after a short one counts its rows':
      '«    yield { rows: [], total: undefined, state: () => ({ offset: 0, anchors: [] }) };\n → »',
  },
  'sync/checkpoint < simulation/seeds': {
    'a state leaves before the records that it covers':
      'return Buffer.concat([«records, writeState(pending()) → writeState(pending()), records»]);',
    'recordCount counts rows twice': '    rowsSinceState = «0 → rowsSinceState»;',
    'the last state is not written':
      'last: (): Buffer => «(pending === null ? NOTHING : writeState(pending())) → NOTHING»,',
    'a state that is said again counts no rows': '?? written;« → \n      rowsSinceState = 0;»',
  },
  'sync/checkpoint': {
    'with --state-every 0 a page of the same millisecond leaves without a state':
      ' - lastStateTicks <« → =» ',
  },
  'sync/read-stream < simulation/seeds': {
    'a row limit inside a page leaves the state behind that page': '), state: «null → batch.state» } : batch',
    'a row limit lets one row too many through': 'const isCut = rows.length > room« →  + 1»;',
  },
  'sync/read-stream': {
    'a stream that is told to stop calls that a failure of the API': '«signal.aborted ? signal.reason :  → »',
    'every wait is told as one for a rate limit': '«if (!rateLimited) return; → »',
    'a state is said again every five minutes though rows flow': 'if («lines.length > 0 → false») onWrite',
    'the rows to expect are told with every page': 'if («shown.total === null &&  → »total !== undefined)',
  },
  'commands/read < simulation/seeds': {
    'exit code 0 though one stream has failed': "results.«every → some»(({ outcome }) => outcome !== 'failed",
    'the summary counts requests wrong': "counted(requests« →  + retries», 'request', 'requests')",
  },
  'sync/progress < sync/stream-progress': {
    'the share of a resumed read begins at zero': 'covered = «batch.covered ??  → »progress.covered + batch.',
  },
  'sync/progress < sync/progress-line': {
    'a list that has grown makes its bar too long': '«Math.min(1, covered / total) → covered / total»',
  },
  'streams/cursor-stream < simulation/seeds': {
    'rows that come again are counted wrong': 'info(`${«repeats → repeats + 1»} rows were received again',
    'a read that fails because of its created_field remembers rows that it never emitted':
      '« → const early = (): object => stateFor(position, begin, field, fingerprintOf);\n    ' +
      'yield { rows: [], total: undefined, newest, state: early };\n    »if (isIncremental && newest',
  },
  'streams/cursor-stream < streams/cursor-stream suites/commands/discover': {
    'pages behind the first are asked for without createdSince':
      '{ limit: pageSize, after, createdSince« → : after === null ? createdSince : null» }',
    'the catalog names a cursor that the config has called otherwise': ": [«created → 'createdDate'»],",
  },
  'streams/cursor-state < simulation/seeds': {
    'an unfinished state says only where the read began': 'ranges.length === 1« && isFinished → »',
    'a finished read lets go of ranges in which rows may still appear': 'open: «isWhole → isFinished» ? ',
  },
  'streams/cursor-state': {
    'cursors of any age are tried':
      'const isYoung = «ms <= nowMs && nowMs - ms < CURSOR_STATE.cursorLifeMs → true»;',
  },
  'streams/offset-stream < simulation/seeds': {
    'a numeric assetId is no identity': "if (id« === undefined → ?.kind !== 'text'» || id.text",
  },
  'streams/offset-stream': {
    'a page from further on than asked for is taken':
      'if (stated !== undefined && stated «!== → <» requested)',
  },
  'streams/sample-offset': {
    'a sample holds rows from the head of the list alone': 'const half = «Math.ceil(count / 2) → count»;\n',
  },
  'streams/sample-cursor': {
    'a row at the end date itself is not sampled': '&& time.instant >« → =» list.end',
  },
  'streams/cursor-fields': {
    'an empty text passes for a key': "value === undefined« || value.text === '' → »)",
  },
  'streams/stream < streams/offset-stream streams/cursor-state': {
    'a state with one misspelt key stands silently for the start of the list':
      "if (unknown« !== '' → .includes(',')» && ",
  },
  'schema/value-kinds': {
    'integers beyond 64 bits pass for integers': 'const SURE_DIGITS = «18 → 20»;',
    'February 30 passes for a time': '.isNaN(start)« && new Date(start).toISOString().startsWith(day) → »;',
  },
  'schema/widen-schema': {
    'a field of times and other texts is declared as times': 'kinds.«size === 1 && kinds. → »has',
    'a field that was found is declared as never null': "type: [«'null',  → »...(isUnion",
  },
  'schema/compare-rows': {
    'one warning more than the most': 'messages >« → =» MAX_MESSAGES',
  },
  'schema/columns < schema/compare-rows': {
    'a leading digit keeps names apart': '«/^\\d/.test(folded) → false» ? `_',
  },
  'schema/value-fault < schema/compare-rows': {
    'decimals that a column of nine places cuts are not told': '(«!isDecimal → true» || keepsDecimal(text)',
  },
};
