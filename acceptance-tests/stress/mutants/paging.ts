/** Faults in paging: the end of a list, ties, times, fingerprints. */
export const PAGING = {
  'paging/offset/ledger < paging/offset/read.property paging/offset/restless.property paging/offset/short paging/offset/unusable paging/offset/beyond.property paging/offset/ledger':
    {
      'page without a covered row counts': "verdict: «coveredEnd > 0 → true» ? 'tied' : 'not tied'",
      'adjacent pages do not overlap':
        'offset: end - «Math.min(Math.max(isFull ? ledger.overlap : 1, ledger.lastRun), identities.length - 1) → 0»,',
      'one short page is the end': 'const SAME_ENDS = «4 → 1»;',
      'any row that is alone is the last one': 'if (only === null || «total === end → true» || isAgain)',
      'an inserted row makes a page of two seem repeated': 'staleFor >= («granted > 2 → true» ? 1 : 2)',
      'pages without progress are read without end': 'return «ledger.idle > BUDGET.idle → false» ||',
      'a page that is shown at any offset counts': 'const isRepeated = «isStale → false» &&',
      'totals do not say where to look for the end':
        "const offset = «sight.verdict === 'repeated' → false» ?",
      'an empty page leads to the total': "const offset = «sight.verdict === 'repeated' → !hasGap» ?",
      'the length of the page is taken for a total': 'return «total > identities.length → total > 1» ?',
    },
  'paging/offset/algorithm < paging/offset/read.property paging/offset/resume.property paging/offset/short paging/offset/head-pass streams/offset-stream':
    {
      'different rows with equal keys are not noticed':
        '= emitted.hasClash ? undefined : «findClash(page, rows, isSame) → undefined»;',
      'rows inserted at the head are skipped': 'rows.filter((index) => «index < end → false» &&',
      'rows of an interrupted read repeat at the head':
        'const end = «emitted.isResumed && mark !== -1 ? mark : identities.length → identities.length»;',
      'list is never read again': 'const MAX_AGAIN = «8 → 0»;',
      'list is hardly read again after a resume near its end':
        'pageBudget({ size: «emitted.rows → scanned.ledger.size», granted })',
      'a missing page goes unnoticed if as many rows were deleted':
        'rows + repeatedLines(lines) < end.minTotal)« || isCutOff(end) → »;',
      'position in a list without order': 'rows.length > 0 && «ledger.isOrdered → true»',
    },
  'paging/offset/position < paging/offset/position.property': {
    'one row proves the place': 'return «isCertain → true» ? first : -1;',
    'resume position is searched at its old offset only': ' REACH = «8 → 0»;',
  },
  'paging/offset/emission < paging/offset/short streams/offset-stream': {
    'resumed read counts rows twice': '«  emitted.rows = 0;\n → »',
    'versions of a row are other rows': '&& «!isSame(first, row) → true»;',
  },
  'paging/offset/explain < paging/offset/unusable paging/offset/beyond.property': {
    'ignored offset counts as unstable': 'if (first !== null && «areFirst(late, first) → false» &&',
    'limit counts as unstable': 'return «hidden.length > MIN_PAGES → false» &&',
  },
  'paging/identities': { '64 of 96 bits of a fingerprint suffice': '« && prints[at + 2] === c → »' },
  'paging/offset/page-size': {
    'rejected offset past the end reduces the page size': 'offset === 0 ? sizes : sizes«.slice(0, 1) → »',
    'rejected offset past the end fails the read':
      ' (hasReturnedPage) return «{ ...REFUSED, refusal: messageOf(error) } → Promise.reject(error)»;',
  },
  'paging/offset/window < paging/offset/window paging/offset/read.property paging/offset/restless.property': {
    'more requests than `concurrency` allows': 'if («inFlight < concurrency → true») inFlight++;',
    'pages after a gap are used': 'at !== undefined && «at < covered → true»;',
  },
  'paging/instant < simulation/seeds paging/instant streams/cursor-cases streams/cursor-cases-ranges': {
    'anything may stand before a fraction': '« || text[19] !== like[19] → ») return NaN;',
    'an hour of a known form may be 24': 'if (!(«hours < 24 &&  → »minutes < 60',
    'omitted zero seconds make an invalid state': '«before.seconds ||  → »',
    'time zones have the wrong sign': "return (zone.startsWith('-') ? «-1 :  → 1 : -»1) * (hours * 60",
    'times before 1970 are rounded up': 'return «rest < 0n ? instant - rest - step :  → »instant - rest;',
    'time after 9999 makes an invalid state': '«earliest(instant, MAX_WRITTEN) → instant»',
    'end of daylight saving time is ignored': "format.zone === '' ? «HOUR → 0n» : 0n;",
  },
  'paging/loop-guard': {
    'empty pages need not be consecutive': 'emptyMs = rows.length > 0 ? «0 → emptyMs» :',
  },
};
