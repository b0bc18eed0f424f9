/** Faults in both ways of paging: the end of a list, ties, ranges, watermarks, cursors, what is remembered. */
export const PAGING = {
  'paging/offset-guard < simulation/seeds': {
    'rows never known again are read as long as the list seems to move': '«problem !== null → false») throw',
  },
  'paging/offset-guard < paging/offset-beyond.property paging/offset-scan': {
    'a server that shows nothing below its total is asked on and on':
      'const isLimited = «limit.contradictions >= MAX_CONTRADICTIONS → false» &&',
    'the first page, repeated past the end, keeps a read going':
      '    repeated = identities;\n«    // if the → return false;\n    // if the»',
    'a list at rest whose end shows its first page counts as a server without offsets':
      'if (isHead && «(await isShownAt(head.length - 1, head)) && (await isShownAt(0, head)) → true»)',
  },
  'paging/offset-scan < simulation/seeds': {
    'where rows come in or go before each request the end is never proven': ' (end.weight >«= →  2 *» PROOF',
    'a page that is not tied counts': 'const isTied = offset === 0 || known >« → =» 0;',
    'any empty page is the end': 'if («isAfterLast &&  → »identities.length === 0) return;',
  },
  'paging/end-evidence < simulation/seeds': {
    'a page that is cut short passes for the end': 'const PROOF = «6 → 1»;',
  },
  'paging/end-evidence': {
    'covered rows after the end of the page before do not refute it':
      'if (page.found > 0« || continues → ») return',
    'a total that agrees about another row counts like the same one':
      'if (agrees && statesMore« && !isSame → ») return',
  },
  'paging/offset-course < simulation/seeds': {
    'neighbouring pages do not overlap': 'const shared = «sharedRows(course, page) → 0»;',
  },
  'paging/offset-read < simulation/seeds': {
    'what came in at the head meanwhile is left out': '.map(«ledger.take → () => false»);\n  const isAtMark',
  },
  'paging/offset-position < simulation/seeds': {
    'rows that came in at the head are emitted again after a resume': '[...anchors«, ...inserted → »]',
  },
  'paging/offset-read < paging/offset-resume.property paging/offset-read.property paging/offset-short': {
    'rows of an interrupted read repeat without a word':
      'if (ledger.isResumed && «rows() < expected → false») {',
    'a resumed read counts rows twice, and passes for whole': '«    ledger.recount();\n → »',
  },
  'paging/identities': {
    'rows whose fingerprints agree in 64 of 96 bits are one': '« && prints[at + 2] === c → »',
  },
  'paging/offset-pages': {
    'a refused offset past the end makes pages smaller': 'fetchSized(offset, signal, sizes«.slice(0, 1) → »)',
    'a refused offset past the end fails the read':
      'if (hasAnswered) return «REFUSED → Promise.reject(error)»;',
    'one request more is in flight than `concurrency` allows': 'requests.inFlight() <« → =» concurrency &&',
  },
  'paging/offset-position < paging/offset-position.property': {
    'the place of an interrupted read is looked for where it was, and nowhere around it': ' REACH = «8 → 0»;',
  },
  'paging/open-ranges < simulation/seeds': {
    'a start_date that gets earlier twice adds nothing':
      'if (« → from.ranges.length > 1 || »start >= from.coveredFrom)',
    'created_since alone loses what an earlier start_date adds': 'createdSince: «start → from.createdSince»',
    'what an earlier start_date added is read again and again':
      'coveredFrom: «start → from.coveredFrom», ranges',
  },
  'paging/open-ranges': {
    'a row at the border of two ranges belongs to both': '&& created <« → =» until;',
    'a state holds one range fewer than it may': 'right.since && ranges.length <«= → » max',
  },
  'paging/instant < simulation/seeds': {
    'seconds left out where they are zero make states that cannot be read again': '«before.seconds ||  → »',
  },
  'paging/instant': {
    'zones are applied the wrong way round': "return (zone.startsWith('-') ? «-1 :  → 1 : -»1) * (hours * 60",
    'times before 1970 are rounded up': 'return «rest < 0n ? instant - rest - step :  → »instant - rest;',
  },
  'paging/cursor-run < streams/alarms-order': {
    'a range ends at the first row beyond it, though rows may stand late': '.until« + slackOf(run) → »;',
    'a list that is not in order is taken for ordered':
      'return «time.instant < newest && time.instant < newest - slackOf(run) → false»;',
  },
  'paging/cursor-run < simulation/seeds': {
    'the watermark passes what may still appear late': 'earliest(ahead, 0n)« - slackOf(run) → »;',
    'rows created at the end date itself are left out': 'stop: end« + 1n → »,',
    'rows created at the lower bound of a range are taken for emitted':
      '«!isIn(wanted, created → (created === worker.from || !isIn(wanted, created)»)',
    'rows that were emitted are emitted again':
      '«if (emitted === undefined) rows.push(row) → rows.push(row);\n    if (!emitted) continue»;',
  },
  'paging/cursor-run < streams/cursor-cases': {
    'the watermark trusts a clock that is ahead of the records': 'at + «earliest(ahead, 0n) → 0n» - slackOf',
    'times of the local clock are compared with those of the server': "run.ahead[«clock → 'server'»] = later",
    'local times that fall back are taken for late by the lookback at most':
      '(hasLocalTimes ? «FALL_BACK → 0n» : 0n)',
    'what a positional cursor repeats is emitted twice, though it has an id':
      'if (isAlike && «run.read.hasId(row) → false»)',
    'rows with the text of an earlier one are not counted': 'if (isAlike) «run.alike++ → run.alike += 0»;',
  },
  'paging/cursor-read < streams/alarms-order': {
    'inside a read the bound passes rows that stand late in the list': ': reached« - slackOf(run) → »;',
  },
  'paging/cursor-read < streams/alarms-read.property': {
    'inside a read the bound passes what may still appear late':
      'earliest(readTo, «limit → isOver ? limit : stop»)',
  },
  'paging/cursor-read < simulation/seeds': {
    'a resumed chain that ends finishes its range': 'if (worker.resumedAt !== null« →  && false»)',
    'what lies after the end date or in another range is lost': 'hasSeenAll = « → true || »ranges.length',
  },
  'paging/cursor-read < streams/cursor-cases': {
    'an empty last page is believed, though its cursor may be dead':
      'if («confirmed !== null && !isTooEarly && isConfirmed(run, worker, confirmed, time) → true») return false;',
    'an end that other chains have passed is confirmed': '«!isTooEarly &&  → »isConfirmed',
    'a refused time after the newest row ends the read':
      'return isAdjacent && «shown < range.since → false» ?',
    'chains are cut into more ranges than a state accepts': ', «1 + room → 99»);',
    'a cursor that dies while a loop is doubted ends the read':
      'page = await acceptedPage(run, worker, fetch(run, worker)«);\n → ).then((one) => one ?? fetch(run, worker));\n»',
  },
  'paging/dead-cursor < streams/cursor-cases': {
    'the first page of a chain is taken for a later one':
      'const again = «firstRows.filter((print) => shown.has(print)).length → 0»;',
    'the first page of the whole list is taken for a later one of a chain':
      "if («order !== 'broken' && created < floor - slackOf(run) → false») return 'started over';",
    'one row of the first page proves a dead cursor': 'telling: «2 → 1» }',
    'rows of the time that a chain is reading prove a dead cursor':
      "if («created < newest && again >= FIRST_ROWS.telling → again > 0») return 'started over';",
    'a resumed chain takes an identical row for the one that was emitted':
      'return page.rows.some((row) => {« →  if (worker) return false;»',
  },
  'paging/range-worker < simulation/seeds': {
    'a late row that the chain brings after a resume is thrown away':
      '    from: «range.since → later(newest, range.since)»,',
    'a cursor is kept after rows that were left out for the end date': 'if («newest > end ||  → »!isWritable',
    'an exclusive bound leaves out rows created at it':
      'floorTo(since« - later(resolutionOf(format), SECOND) → » - local, MINUTE)',
  },
  'paging/instant < streams/cursor-cases': {
    'a time beyond the year 9999 makes a state that no read accepts':
      '«earliest(instant, MAX_WRITTEN) → instant»',
  },
  'streams/cursor-state': {
    'the state of a finished read does not name its created field':
      '    created_field: «field → isWhole ? undefined : field»,',
    'a cursor of another page size is tried': '&& chain.page_size «=== pageSize → !== null»',
  },
  'paging/seen-rows < simulation/seeds': {
    'a state forgets what the state before it remembered':
      'return [entries« → .filter((entry) => !loaded.has(entry))», latest];',
    'a finished read forgets what it has seen': '= «entries.filter((entry) => !loaded.has(entry)) → []»',
  },
  'paging/seen-rows': {
    'of too many rows a state remembers the oldest, not the latest': 'byTime.slice(«- → 0, »MOST_SEEN)',
  },
  'paging/loop-guard': {
    'empty pages count as endless though pages with rows come between them':
      'empty «= rows.length === 0 ? empty + → += rows.length === 0 ?» 1 : 0;',
  },
};
