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
  'paging/instant < simulation/seeds paging/instant streams/cursor-cases streams/cursor-cases-ranges': {
    'omitted zero seconds make an invalid state': '«before.seconds ||  → »',
    'time zones have the wrong sign': "return (zone.startsWith('-') ? «-1 :  → 1 : -»1) * (hours * 60",
    'times before 1970 are rounded up': 'return «rest < 0n ? instant - rest - step :  → »instant - rest;',
    'time after 9999 makes an invalid state': '«earliest(instant, MAX_WRITTEN) → instant»',
    'end of daylight saving time is ignored': "format.zone === '' ? «HOUR → 0n» : 0n;",
  },
  'paging/loop-guard': {
    'empty pages need not be consecutive': 'empty «= rows.length === 0 ? empty + → += rows.length === 0 ?» 1',
  },
};
