/** Faults in paging: the end of a list, ties, times, fingerprints. */
export const PAGING = {
  'paging/identities': { '64 of 96 bits of a fingerprint suffice': '« && prints[at + 2] === c → »' },
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
