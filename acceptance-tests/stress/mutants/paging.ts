/** Faults in paging: the end of a list, ties, ranges, watermarks, cursors, fingerprints. */
export const PAGING = {
  'paging/offset-guard < simulation/seeds paging/offset-beyond.property paging/offset-scan': {
    'list of one changing row counts as a limit': 'isOver && «!isRestless → true» &&',
    'unstable rows are read without end': '«problem !== null → false») throw',
    'empty pages below the total are read without end':
      'const isLimited = «limit.contradictions >= MAX_CONTRADICTIONS → false» &&',
    'repeated pages with rows that seem new are read without end':
      'const isSuspect = (await «isRepeat(page) → false») ||',
    'repeated pages are compared as a whole':
      'if (!isSuspect || «(await firstAt(offset * FAR)) !== first → !(await isShownAt(offset * FAR, identities))» ||',
    'first page repeated past the end is read without end': '«    // if the → return false;\n    // if the»',
    'first page with rows inserted since is taken for a moved list':
      'return «isShared(identities, far) && isShared(await identitiesAt(0), far) → false»;',
    'moving list limited to one page counts as unstable':
      'return «total - furthest >= MIN_GAP && (await isEmptyAt(middle)) → false» ? furthest',
    'first page past the end counts as ignored offsets':
      'if (isHead && «(await isShownAt(head.length - 1, head)) && (await isShownAt(0, head)) → true»)',
  },
  'paging/offset-scan < simulation/seeds': {
    'end of a constantly changing list is never proven': ' (end.weight >«= →  2 *» PROOF',
    'page without a known row counts': 'const isTied = offset === 0 || known >« → =» 0;',
    'any empty page is the end': 'if («isAfterLast &&  → »identities.length === 0) return;',
  },
  'paging/end-evidence < simulation/seeds paging/end-evidence': {
    'truncated page counts as the end': 'const PROOF = «6 → 1»;',
    'known rows after the end do not refute it': 'if (page.found > 0« || continues → ») return',
    'total for another row counts as evidence': 'if (agrees && statesMore« && !isSame → ») return',
  },
  'paging/offset-course < paging/offset-restless.property': {
    'adjacent pages do not overlap': 'const shared = «sharedRows(course, page) → 0»;',
  },
  'paging/offset-read < simulation/seeds paging/offset-resume.property paging/offset-read.property paging/offset-short streams/offset-stream':
    {
      'different rows with equal keys are not noticed':
        'hasClash ||= «hasEqualKeys(page, list.isSame) → false»;',
      'versions of a row are other rows': '&& «!isSame(first, row) → true»;',
      'rows inserted at the head are skipped': '.map(«ledger.take → () => false»);\n  const isAtMark',
      'repeated rows of an interrupted read are not logged':
        'if (ledger.isResumed && mayHelp && «isShort() → false») {',
      'resumed read counts rows twice': '«    ledger.recount();\n → »',
      'emptied list hides rows': 'isHidden = «stated > 0 && → » (',
      'first page past a limit passes for hidden rows': '(end.rows.length === 0« || repeatsPage → »)',
      'deleted rows make up for hidden ones': 'rows: «Math.min(rows(), from) → rows()», expected: total',
      'hidden rows that move into view are not read':
        '«  if (endsNew(page) || endsNew(end)) return { from, total, isFar: false };\n → »',
    },
  'paging/offset-position < simulation/seeds paging/offset-position.property paging/offset-short': {
    'rows before a repeated key are skipped':
      'const passedFrom = «passedAt === -1 ? border : Math.min(passedAt, border) → border»;',
    'place is given after a repeated key': 'mayResume &&= «!hasRepeatedKey(page, anchors, inserted) → true»;',
    'rows inserted at the head repeat after a resume': '[...anchors«, ...inserted → »]',
    'resume position is searched at its old offset only': ' REACH = «8 → 0»;',
  },
  'paging/identities': { '64 of 96 bits of a fingerprint suffice': '« && prints[at + 2] === c → »' },
  'paging/offset-pages': {
    'rejected offset past the end reduces the page size': 'offset === 0 ? sizes : sizes«.slice(0, 1) → »',
    'rejected offset past the end fails the read':
      ' (hasReturnedPage) return «REFUSED → Promise.reject(error)»;',
    'one request more than `concurrency` allows': 'requests.inFlight() <« → =» concurrency &&',
  },
  'paging/open-ranges < simulation/seeds paging/open-ranges': {
    'second earlier start_date is ignored': 'if (« → from.ranges.length > 1 || »start >= from.coveredFrom)',
    'created_since alone loses rows of an earlier start_date': 'createdSince: «start → from.createdSince»',
    'rows of an earlier start_date are read repeatedly': 'coveredFrom: «start → from.coveredFrom», ranges',
    'row at a range boundary is in both ranges': '&& created <« → =» until;',
    'one range fewer than allowed': 'right.since && ranges.length <«= → » max',
  },
  'paging/instant < simulation/seeds paging/instant streams/cursor-cases streams/cursor-cases-expired streams/cursor-cases-ranges':
    {
      'omitted zero seconds make an invalid state': '«before.seconds ||  → »',
      'time zones have the wrong sign': "return (zone.startsWith('-') ? «-1 :  → 1 : -»1) * (hours * 60",
      'times before 1970 are rounded up': 'return «rest < 0n ? instant - rest - step :  → »instant - rest;',
      'time after 9999 makes an invalid state': '«earliest(instant, MAX_WRITTEN) → instant»',
      'end of daylight saving time is ignored': "format.zone === '' ? «HOUR → 0n» : 0n;",
    },
  'paging/cursor-run < streams/alarms-order simulation/seeds streams/cursor-cases streams/cursor-cases-expired streams/cursor-cases-end streams/cursor-cases-ranges':
    {
      'rows received twice are not noticed':
        'created === worker.newest) «worker.repeatedAtNewest++ → void 0»;',
      'range ends without the lookback': '.until« + allowedLateness(run) → »;',
      'unordered list counts as ordered':
        'return «time.instant < newest && time.instant < newest - allowedLateness(run) → false»;',
      'watermark ignores the lookback': 'earliest(ahead, 0n)« - allowedLateness(run) → »;',
      'rows at the end date are skipped': 'stop: end« + 1n → »,',
      'rows at the lower bound are skipped':
        'const isWithin = « → created !== worker.from && »isIn(range, created);',
      'emitted rows repeat':
        '«if (emitted === undefined) rows.push(row) → rows.push(row);\n    if (!emitted) continue»;',
      'watermark uses a fast clock': 'at + «earliest(ahead, 0n) → 0n» - allowedLateness',
      'local clock is compared with the server clock': "run.ahead[«clock → 'server'»] = later",
      'rows that are read again prove the order':
        'if (newest === MIN_INSTANT« || instant <= run.newestSeen → ») return;',
      'repeated row with an id is emitted twice': 'if (isIdentical && «run.read.hasId(row) → false»)',
      'identical rows are not counted': 'if (isIdentical) «run.identical++ → run.identical += 0»;',
    },
  'paging/cursor-read < streams/alarms-order streams/alarms-read.property simulation/seeds streams/cursor-cases streams/cursor-cases-expired streams/cursor-cases-end streams/cursor-cases-ranges':
    {
      'watermark is as fine as the start date':
        'raise(range, earliest(readTo, limit), «rowFormat → formatOf(run) ?? rowFormat»)',
      'end with rows received twice is never replaced': '(before.minAtNewest, before.atNewest« - 1 → »)',
      'end is replaced by one without rows of its time':
        'Math.max(«before.minAtNewest → 0», before.atNewest - 1)',
      'end before a new row is never replaced':
        'before !== undefined« && (hasFewer || newest < before.newest) → »;',
      'bound passes rows late in the list': '? reached« - allowedLateness(run) → » : end;',
      'end of an expired cursor passes late rows': '= run.hasLateRows« || !isFresh(run, worker, page) → »;',
      'bound passes rows that may appear late':
        "earliest(readTo, «limit → course === 'continues' ? stop : limit»)",
      'end of a resumed chain finishes its range': 'if (resumedAt !== null« →  && false»)',
      'rows of other ranges are lost': 'hasSeenAll = « → true || »ranges.length',
      'more ranges than a state accepts': ', «1 + room → 99»);',
    },
  'paging/usable-page < simulation/seeds streams/cursor-cases streams/cursor-cases-expired streams/cursor-cases-ranges':
    {
      'rejected time after the newest row ends the read': 'if (!isAdjacent || «hasBegun(run, range) → true»)',
      'cursor expiring during a loop check ends the read':
        'page = await acceptedPage(run, worker, fetchNext(run, worker)«);\n → ).then((one) => one ?? fetchNext(run, worker));\n»',
    },
  'paging/expired-cursor < streams/cursor-cases streams/cursor-cases-expired streams/cursor-cases-end streams/cursor-cases-ranges':
    {
      'empty last page is not confirmed': '|| «isConfirmed(run, worker, page) → true») return false;',
      'end passed by other chains is confirmed':
        'if (end === undefined« || isBeforeNewest(run, worker) → » || !isFresh',
      'old cursor confirms an end':
        '|| isBeforeNewest(run, worker)« || !isFresh(run, worker, page) → ») return false;',
      'end of DST keeps a read from ending': 'run.newestSeen« - run.dstShift → »;',
      'new texts keep a read going': 'withRows: «200 → Infinity»,',
      'first page of the chain counts as a later one':
        'const again = «firstRows.filter((print) => shown.includes(print)).length → 0»;',
      'first page of the list counts as a later one':
        "if («order !== 'broken' && isBefore → false») return 'started over';",
      'rows before the requested time are accepted from old cursors':
        'allowedLateness(run) : «run.dstShift → allowedLateness(run)»)',
      'one repeated row proves an expired cursor': 'proof: «2 → 1» }',
      'rows at the current time prove an expired cursor':
        "if («matches >= proof && (!isAlive || (isEarlier && isExact)) → again > 0») return 'started over';",
      'changing text keeps a read going':
        'return isAlike« || (isRepeated && worker.atNewest >= end.atNewest) → »;',
      'arriving rows keep a read going': 'isRepeated && worker.atNewest «>= → ===» end.atNewest',
      'identical rows prove an expired cursor':
        'const isCertain = «!mayRecur || (!isAlive && page.next === null) → true»;',
      'rows of a first page end the list': 'isCertain = !mayRecur« || (!isAlive && page.next === null) → »;',
      'rows in no order prove an expired cursor': "return «run.order !== 'ascending' → false» || created >=",
      'first rows among others prove an expired cursor': '(isEarlier« && isExact → »))',
      'old cursor ends a list without times': '(isCostly« && isFresh(run, worker, page) → »)',
      'resumed chain skips an identical row': 'return «isKnown.includes(true) → false»;',
    },
  'paging/range-worker < streams/cursor-cases-ranges simulation/seeds': {
    'late row after a resume is dropped': '    from: «range.since → later(newest, range.since)»,',
    'cursor beyond the end date is kept': 'if («newest > end ||  → »!isWritable',
    'exclusive bound skips rows at it': 'below = since« - later(resolutionOf(format), MINUTE) → » - dst',
  },
  'streams/cursor-state': {
    'finished state omits its created field': '    created_field: «field → isWhole ? undefined : field»,',
    'cursor of another page size is used': '&& chain.page_size «=== pageSize → !== null»',
  },
  'paging/seen-rows < simulation/seeds paging/seen-rows': {
    'state drops fingerprints of the previous one': ' [entries« → .filter((entry) => !loaded.has(entry))», ',
    'finished read drops fingerprints': '= «entries.filter((entry) => !loaded.has(entry)) → []»',
    'state keeps the oldest fingerprints': 'byTime.slice(«- → 0, »MAX_SEEN)',
  },
  'paging/loop-guard': {
    'empty pages need not be consecutive': 'empty «= rows.length === 0 ? empty + → += rows.length === 0 ?» 1',
  },
};
