/** Faults in paging: the end of a list, ties, times, fingerprints. */
export const PAGING = {
  'paging/offset/pass < paging/offset/worlds paging/offset/servers paging/offset/cases paging/offset/short paging/offset/unusable paging/offset/pass':
    {
      'page without a covered row counts': "verdict: «isTied → true» ? 'tied' : 'not tied'",
      'adjacent pages do not overlap':
        'offset + count - «Math.min(Math.max(overlap, linesOf(pass)), count - 1) → 0»;',
      'one short page is the end': 'const SAME_ENDS = «4 → 1»;',
      'pages past the end show how far the list reaches': 'if («found > 0 → true» || sight.isNewHead',
      'any row that is alone is the last one': '= only === null || «total === end → true» ||',
      'an inserted row makes a page of two seem repeated': 'pass.staleFor >= («granted > 2 → true» ? 1 : 2)',
      'a page that is shown at any offset counts': 'const isRepeated = «showsStale(pass, page) → false» &&',
      'totals do not say where to look for the end': "goBack(pass, page, «verdict === 'repeated' → false»);",
      'an empty page leads to the total': "goBack(pass, page, «verdict === 'repeated' → !hasGap»);",
      'the length of the page is taken for a total':
        'isRepeated && «total > identities.length → total > 1» ?',
    },
  'paging/offset/read < paging/offset/worlds paging/offset/servers paging/offset/short paging/offset/head-pass streams/offset-stream':
    {
      'pages without progress are read without end': 'return «idle + retries > BUDGET.idle → false» ||',
      'different rows with equal keys are not noticed':
        'const clash = «countLines(run.lines, page, isSame) → undefined»;',
      'rows inserted at the head are skipped': 'rows.filter((index) => «index < end → false» &&',
      'rows of an interrupted read repeat at the head':
        'const end = «run.isResumed && mark !== -1 ? mark : identities.length → identities.length»;',
      'list is never read again': 'const MAX_AGAIN = «8 → 0»;',
      'position in a list without order': 'rows.length > 0 && «pass.isAppended → true»',
    },
  'paging/offset/outcome < paging/offset/worlds paging/offset/servers paging/offset/short': {
    'a missing page goes unnoticed if as many rows were deleted':
      'rows + repeatedLines(lines) < statedRows(end)« || end.hidden > 0 → »;',
  },
  'paging/offset/place': {
    'one row proves the place': 'return «isCertain → true» ? first : -1;',
    'resume position is searched at its old offset only': ' REACH = «8 → 0»;',
  },
  'paging/offset/run < paging/offset/short': {
    'resumed read counts rows twice': 'run.emitted = createIdentitySet();\n«  run.rows = 0;\n → »',
  },
  'paging/offset/seen < streams/offset-stream': {
    'lines with the same text are taken for different rows': 'else if («isSame(before, row) → false»)',
  },
  'paging/offset/requests < paging/offset/cases': {
    'multiples of the limit are never tried': 'if («!isNext → true» ||',
    'the largest page is requested at any offset':
      '«if (other - (offset % other) > limit - (offset % limit)) limit = other; → ;»',
  },
  'paging/offset/explain < paging/offset/unusable paging/offset/servers': {
    'ignored offset counts as unstable': 'if (first !== null && «areFirst(late, first) → false» &&',
    'limit counts as unstable': 'return «hidden.length > MIN_PAGES → false» &&',
  },
  'paging/identities': { '64 of 96 bits of a fingerprint suffice': '« && prints[at + 2] === c → »' },
  'paging/offset/accepted-size': {
    'rejected offset past the end reduces the page size': 'offset === 0 ? sizes : sizes«.slice(0, 1) → »',
    'rejected offset past the end fails the read':
      'return «{ ...REFUSED, limit, refusal } → Promise.reject(error)»;',
    'a page of fewer rows shows that the size is accepted': 'if («page.limit >= size → true») {',
  },
  'paging/offset/window < paging/offset/window paging/offset/worlds': {
    'more requests than `concurrency` allows': 'if («inFlight < concurrency → true») inFlight++;',
    'pages after a gap are used': 'at !== undefined && «at < covered → true»;',
  },
  'paging/instant < simulation/seeds paging/instant streams/cursor-cases streams/cursor-cases-ranges': {
    'digits in another order are a time': 'const read = «OTHER_DIGITS.test(number) → false» ?',
    'anything may stand before a fraction': '« || text[19] !== like[19] → ») return NaN;',
    'an hour of a known form may be 24': 'if (!(«hours < 24 &&  → »minutes < 60',
    'omitted zero seconds make an invalid state': '«before.seconds ||  → »',
    'time zones have the wrong sign': "return (zone.startsWith('-') ? «-1 :  → 1 : -»1) * (hours * 60",
    'times before 1970 are rounded up': 'return «rest < 0n ? instant - rest - step :  → »instant - rest;',
    'time after 9999 makes an invalid state':
      '«earliest(instant, as === null ? MAX_EXACT : MAX_WRITTEN) → instant»',
    'end of daylight saving time is ignored': "format.zone === '' ? «HOUR → 0n» : 0n;",
  },
  'paging/loop-guard': {
    'empty pages need not be consecutive': 'emptyMs = rows.length > 0 ? «0 → emptyMs» :',
  },
};
