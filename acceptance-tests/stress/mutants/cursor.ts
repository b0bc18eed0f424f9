const WORLDS = 'paging/cursor/cursor-worlds.property paging/cursor/cursor-small.exhaustive simulation/seeds';
const PROMISES =
  'streams/cursor-promises streams/cursor-order streams/cursor-cases streams/cursor-cases-ranges streams/alarms-order';

/** Faults in reading cursor lists: bounds, order, ranges, seen rows, ends, old cursors. */
export const CURSOR = {
  [`paging/cursor/bounds < ${WORLDS} ${PROMISES}`]: {
    'bound passes rows late in the list': 'earliest(reached« - tolerance → », started - lookback)',
    'bound passes rows that may appear late': 'earliest(reached - tolerance, started« - lookback → »)',
    'end ignores the lookback of the newest row': 'earliest(floorTo(newest« - lookback → », unit), limit)',
    'watermark uses a fast clock':
      'floorTo(newest - lookback, unit), «limit → floorTo(newest - lookback, unit)»)',
    'days are read again by the lookback': 'return «unit > lookback → false» ? earliest(newest, limit)',
    'exclusive bound skips rows at it':
      'floorTo(since« - granuleOf(format) → » - clockShiftOf(format), MINUTE)',
    'end of daylight saving time is ignored': '= lookback« + clockShiftOf(format) → »;',
    'rows below the bound are forgotten': 'return since« - 3n * granuleOf(format) → » - clockShiftOf',
  },
  [`paging/cursor/order < ${WORLDS} ${PROMISES}`]: {
    'unordered list counts as ordered': "if («time < newest - tolerance → false» && kind !== 'broken')",
    'a single row ends a range':
      'return last.length < enough ? MIN_INSTANT : «last.reduce((one, other) => (other < one ? other : one)) → (last.at(-1) as Instant)»;',
  },
  [`paging/cursor/ranges < ${WORLDS} ${PROMISES}`]: {
    'a single moment is not read': 'until > start && since «<= → <» end;',
    'range before the start date is read': 'until «> → >=» start && since <= end;',
    'row at a range boundary is in both ranges': 'created >= since && created <« → =» until;',
    'cursor of a range is lost by a join':
      '«const mayJoin = last?.cursor === null && range.cursor === null; → const mayJoin = true;»',
  },
  [`paging/cursor/progress < ${WORLDS} ${PROMISES}`]: {
    'created_since alone loses rows of an earlier start_date':
      'watermark: «isEarlier ? start : watermark → watermark»,',
    'rows of an earlier start_date are read repeatedly':
      'coveredFrom: «isEarlier ? start : coveredFrom → coveredFrom»,',
    'unfinished state does not rest on the order':
      'const restsOnOrder = «(ranges[0]?.since ?? watermark) > watermark → false»;',
    'bound moves in an unproven order': 'const mayMove = «isAscending || isEnd → true»;',
    'range ends without the lookback': 'reached >= stop« + precision.tolerance → »;',
    'resumed chain misses rows before its cursor': 'const isResumed = «range.cursor !== null → false»;',
    'later ranges are closed with the list': '«...progress.todo.filter(isBeyond), → »',
    'rows at the end date are skipped': 'const stop = earliest(range.until, end« + 1n → »);',
    'lower bound stays where an unordered list began':
      'const isForgiven = «isBroken && !before.restsOnOrder → false»;',
    'cursor is saved beyond the end date': 'if (!isWritable« || course.newest > end → ») return null;',
    'restart forgets that a bound has moved':
      'restsOnOrder: progress.restsOnOrder« || range.since > from → »,\n    restarts',
    'an early end does not rest on the order': 'restsOnOrder: progress.restsOnOrder« || !isEnd → »,',
    'falling back keeps overlapping ranges': 'kept: kept«.filter(({ until }) => until <= watermark) → »,',
    'restarts are counted although new rows follow':
      'restarts: «found.rows.length > 0 ? 0 : progress.restarts → progress.restarts»,',
    'falling back keeps the ranges': '    todo: «[all] → progress.todo»,',
  },
  [`paging/cursor/accept-page < ${WORLDS} ${PROMISES}`]: {
    'end behind an old cursor is believed': 'return «page.next === null ||  → »isBeforeBound ?',
    'rows from before the bound are believed': 'return page.next === null« || isBeforeBound → » ?',
    'refused part fails the read': "if (failure === 'refused' && «range.origin === 'part' → false») return",
  },
  [`paging/cursor/chain-requests < ${WORLDS} ${PROMISES}`]: {
    'old cursor is sent':
      'const sendByMs = «next === null || mayBeOld ? null : next.sentAtMs + CURSOR_LIFE_MS → null»;',
    'cursor of another session is believed': '(«next === range.cursor ||  → »!isFresh(next, page.sentAtMs))',
  },
  [`paging/cursor/take-page < ${PROMISES}`]: {
    'old rows that come first are left out in any order':
      "progress.order.kind !== 'broken'« && (chain.hasBegun || ascend(times)) → »,",
    'few new rows are cut into parts':
      '«rows.length > 0 && rows.length === page.rows.length → rows.length > 0»;',
  },
  [`paging/cursor/take-rows < ${WORLDS} ${PROMISES}`]: {
    'strays are dropped': "(place === 'older' && «!found.hasBegun → true»);",
    'leading rows are emitted again': "(place === 'older' && «!found.hasBegun → false»);",
    'rows of another range are emitted': "if («place === 'elsewhere' ||  → »place === 'after end') continue;",
    'strays that come first are dropped': "if (begins && («receipt === 'new' ||  → »!places.ascends))",
    'known rows prove nothing about those before them':
      "if (begins && («receipt === 'new' || !places.ascends → true»))",
    'rows before the start date are emitted':
      "return created < coveredFrom ? «'before start' → 'older'» : 'older';",
  },
  [`paging/cursor/cursor-read < ${WORLDS} ${PROMISES}`]: {
    'false end of a full refresh goes unnoticed': 'let isConfirmed = «!read.confirmsEnd → true»;',
  },
  [`paging/cursor/seen-rows < paging/cursor/seen-rows.property ${WORLDS}`]: {
    'known row is not noted': 'if («isKnown || mayAdd → mayAdd») {',
    'rows that wait come later in a state': '«for (const one of takeWaiting(fresh)) addToLog(seen, one); → »',
    'rows with a fingerprint pass for new ones': 'if (mayAdd) «noteOther(fresh) → void 0»;',
    'rows of the last page are forgotten':
      'const moment = { log, length: log.length };\n  const { rows } = fresh;\n  const { length } = «rows → []»;',
  },
  [`paging/cursor/fresh-rows < paging/cursor/seen-rows.property ${WORLDS}`]: {
    'rows of large pages wait': 'isNeeded !== null && «isLight → true»;',
    'any number of rows wait': 'Math.max(0, «pageAt - MAX_WAITING.rows → 0»)',
    'rows that cannot wait are forgotten': 'isNeeded === null ? earlier : «earlier.filter(isNeeded) → []»;',
    'ties across pages are compared with later rows only': '{ ...run, at: run.at« - end → » };',
  },
  'paging/cursor/seen-log < paging/cursor/seen-rows.property streams/cursor-promises': {
    'rows received first are forgotten': 'else if («isFirst[row] === 0 &&  → »(second === STRAY ||',
    'state keeps the earliest rows': 'return (index) => (seconds[index] ?? 0) «> → <» limit ||',
    'strays are remembered by time':
      'const isAmongLast = room > 0 && (needed.withLast« || second === STRAY → »);',
  },
  'paging/cursor/given-rows < paging/cursor/seen-rows.property': {
    'gone rows stay in the state': 'const from = «hasSeenAll ? lastMet : 0 → 0»;',
  },
  'paging/cursor/seams < streams/cursor-promises': {
    'gap at a seam goes unnoticed':
      'return «seenFromAbove < MAX_INSTANT && seenFromBelow + tolerance < seenFromAbove → false»;',
  },
  'streams/cursor-state < streams/cursor-promises streams/cursor-state': {
    'cursor of another page size is used':
      'return chain.page_size «=== pageSize → !== null» ? cursor : null;',
    'state of a saved cursor has no ranges':
      'ranges[0]?.since === watermark« && ranges[0].cursor === null → »;',
  },
};
