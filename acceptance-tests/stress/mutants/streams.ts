/** Faults in reads, streams and schemas: states, samples, summaries, progress. */
export const STREAMS = {
  'streams/offset-outcome': {
    'short list is complete': "if («isShort && missing === 'fail' → false»)",
    'rows with equal keys make up for missing ones': '(hasClash && rows «!== → <» expected)',
    'min_rows is ignored': 'if («rows < minRows → false») return',
  },
  'streams/offset-stream < suites/commands/api-variants simulation/seeds streams/offset-stream': {
    'read after a short one counts its rows':
      '«    yield { rows: [], total: undefined, state: () => ({ offset: 0, anchors: [] }) };\n → »',
    'page at a later offset is accepted': 'if (stated !== undefined && stated «> → <» requested)',
  },
  'sync/checkpoint < simulation/seeds sync/checkpoint sync/kept-state': {
    'state precedes its records': 'concat([«records, writeState(pending()) → writeState(pending()), records»',
    'recordCount counts rows twice': '    rowsSinceState = «0 → rowsSinceState»;',
    'last state is not written': 'Buffer => «(pending === null ? NOTHING : writeState(pending())) → NOTHING»',
    'given state is not written': '= «given === null ? null : () => given → null»;',
    'repeated state counts no rows': '?? written;« → \n      rowsSinceState = 0;»',
    '--state-every 0 skips a page of the same millisecond': ' - lastStateTicks <« → =» ',
  },
  'sync/read-stream < simulation/seeds sync/read-stream': {
    'row limit in a page keeps the state of the page': 'total, state: «null → batch.state» } : batch',
    'row limit is off by one': 'const isLimited = rows.length > maxRows« →  + 1»;',
    'stop is reported as an API failure': '«signal.aborted ? signal.reason :  → »',
    'every wait is reported as rate limited': '«if (!isRateLimited || hasEnded) return; → »',
    'state repeats while rows flow': 'if («lines.length > 0 → false») onWrite',
    'estimate repeats with every page': 'if («shown.total === null &&  → »total !== undefined)',
  },
  'commands/read < simulation/seeds': {
    'one failed stream exits with 0': 'if (failures.length «=== 0 → < results.length») return 0;',
    'summary counts retries as requests': "counted(requests« →  + retries», 'request', 'requests')",
  },
  'sync/progress < sync/stream-progress sync/progress-line': {
    'progress of a resumed read starts at zero': 'emitted = «batch.emitted ??  → »progress.emitted + batch.',
    'progress bar exceeds 100 %': '«emitted < total ? emitted / total : 1 → emitted / total»',
  },
  'streams/cursor-stream < simulation/seeds streams/cursor-stream streams/cursor-cases-ranges streams/cursor-promises suites/commands/discover':
    {
      'rows without a time at first make a list unreadable':
        '(«counts.timeless >= MAX_TIMELESS → counts.timeless > 0» || (end',
      'empty page that repeats its cursor is followed': 'next: «isEnd ? null : next → next»,',
      'later pages omit createdSince':
        'limitAfter(0), after, createdSince« → : after === null ? createdSince : null» }))',
      'catalog ignores created_field': ": [«created → 'createdDate'»],",
    },
  'streams/sample-offset': {
    'sample contains the head only': 'const half = «Math.ceil(count / 2) → count»;\n',
  },
  'streams/sample-cursor': { 'row at the end date is not sampled': '&& time.instant >« → =» list.end' },
  'streams/row-key < suites/commands/api-variants simulation/seeds streams/offset-stream streams/check/key-field':
    {
      'numeric key is not an identity':
        "return value !== undefined && «value.text !== '' → value.kind !== 'number'»;",
      'empty key is accepted': "return value !== undefined« && value.text !== '' → »;",
      'keys with unpaired surrogates are equal': 'return «text.isWellFormed() → true» ?',
    },
  'streams/check/key-field': {
    'row that is listed twice repeats its key':
      'if (!known.rows.some((one) => «haveSameText(one, row) → false»))',
    'IDs of other things are proposed too': 'const best = «named.length > 0 ? named : others → ranked»;',
  },
  'streams/check/created-bound < streams/check/check-cursor streams/check/judge-cursor': {
    'rounded bound is another field': 'return margin« + granule → »;',
    'fields of omitted rows do not matter': ' && «countNewer(field, trial) <= MAX_CONTRADICTIONS → true»,',
  },
  'streams/check/check-cursor < streams/check/check-cursor streams/check/check-unseen': {
    'check ignores start_date':
      "«        createdSince,\n → createdSince: null,»        boundFrom: 'start date',",
    'a first page that comes again passes': '«page.next === after && → page.next !== after &&»',
  },
  'streams/check/judge-cursor': {
    'list in descending order is probed':
      "if («orderOf(rows, created, lookback_seconds) === 'descending' → false») return",
    'only the first fault is named': "return { kind: 'wrong', «faults → faults: faults.slice(0, 1)» };",
  },
  'streams/messages/late-rows': {
    'a lookback that is not possible is advised': 'warn(«isCoverable(latest) → true» ? tooLate',
  },
  'streams/paging-kind': {
    'cursor in a list by offset is ignored':
      '«nextCursorOf(pagination) === null || → true ||» isGiven(offset)',
    'links are the end of a list':
      'return (LINKS_ON.test(name) || LINKS_ON_BESIDE.test(name)) && «leadsOn(value) → false»;',
    'signs beside the pagination object are ignored': 'if («sign === undefined → true») return;',
  },
  'streams/cut-page': {
    'a page that is cut without a cursor is the end': 'if («half?.hasCursor === false → false» && found',
    'a cursor under another name is none': 'if («half?.hasCursor !== true → false» &&',
  },
  'streams/repeated-keys < streams/repeated-keys': {
    'repeated key of a read is not noticed': 'if («(checksums.get(id) ?? checksum) !== checksum → false») {',
  },
  'streams/stream < streams/offset-stream streams/cursor-state': {
    'misspelled state key is ignored': 'if («unknown.length === 0 → unknown.length < 2» ||',
  },
  'schema/widen-schema': {
    'mixed texts are declared as times': 'kinds.«size === 1 && kinds. → »has',
    'found field is not nullable': "type: [«'null',  → »...(isUnion",
  },
  'schema/compare-rows': { 'one warning too many': 'messages >« → =» MAX_MESSAGES' },
  'schema/columns < schema/compare-rows': {
    'leading digit distinguishes columns': '«/^\\d/.test(folded) → false» ? `_',
  },
  'schema/value-fault < schema/compare-rows': {
    'truncated decimals are not reported': "(«isDecimal → false» && kind === 'double')",
  },
  'rows/numbers': {
    'integers beyond 64 bits are integers':
      'isWhole(number)« && BigInt.asIntN(64, BigInt(number)) === BigInt(number) → »',
    'the last digits of a double are not compared': 'const isKept = «keepsDouble(number) → true»;',
  },
  'rows/times': {
    'February 30 is a valid date':
      'return «new Date(ms).getUTCDate() === Number(date.slice(8)) → !Number.isNaN(ms)» ?',
  },
  'rows/value-kind < schema/compare-rows rows/value-kind': {
    'deep values are serialized': 'json.length < «MAX_REPRINTED → Infinity» &&',
  },
};
