/** A behavior that the connector does not control, and its variants. */
export interface Deviation {
  /** The passage of the API's documentation that leaves it open, or who decides it. */
  readonly source: string;
  /** What the connector does in each case. */
  readonly does: string;
  /** What no client can guarantee, and how the connector reports it. */
  readonly limits?: string;
  readonly answers: string;
}

const PERSON = 'a person';
const NETWORK = 'the network';
const CLOCK = 'a clock';
const ORDER = '“Ordering guarantees of each list: not shown”';
const ALARMS = '“Fields of an alarm: not shown”';
const BOUND = '“Format of createdSince: not shown”';
const CURSOR = '“Opaque cursor that selects the next page”';
const MAXIMUM = '“A maximum exists”';
const LIMIT = '“Default and maximum limit of offset-based lists: not shown”';
const OFFSET = '“Offset is the number of rows to skip”';
const ERRORS = '“Error status codes: not shown”';

/*
 * What a server, a network, a clock or a person may do. Answers are separated by `|` and written as `weight name = value`; the value
 * defaults to the name, and `a..b` is a range that includes both ends. Times are in ms, rates are percentages. The first answer is
 * the baseline. A weight of 0 marks an answer that the connector does not support yet.
 */

/** What docs/deviations.md explains. */
export const DEVIATIONS = {
  order: {
    source: ORDER,
    does: 'A list in any order is read from start to end. Bounds rise, ranges are cut and reads end early only while created times ascend within the lookback. If ranges relied on an order that breaks, the read falls back to one chain, with a WARN.',
    limits:
      'If the order breaks after it was proven, with parallel chains, an end date or an interruption, rows may be missed: use a full refresh with one chain.',
    answers:
      '55 by created time | 20 by arrival | 9 descending | 9 shuffled | 5 old rows last | 5 rows without a time last | 5 rows without a time first',
  },
  timeFormat: {
    source: ALARMS,
    does: 'Times in any format are compared exactly; bounds are written in the format seen. If times are dates, the current day is read again.',
    limits: 'If more than 10,000 rows have the current date, later reads repeat the others, with a WARN.',
    answers:
      '28 Z, ms | 3 Z, s | 3 Z, min | 4 date | 3 Z, ns | 3 +02:00, µs | 3 -0530, s | 3 offsets by row | 3 Z, fraction trimmed | 3 Z, seconds and fraction trimmed | 3 +01:00, seconds and fraction trimmed | 10 no zone, T | 10 no zone, blank | 10 no zone, trimmed | 3 epoch s | 3 epoch ms | 3 epoch ms as text | 3 epoch s with fraction | 3 epoch s, fraction trimmed',
  },
  zone: {
    source: ALARMS,
    does: 'Times without a zone count as UTC; one more hour is read again.',
    limits: '`start_date` and `end_date` may be off by the zone.',
    answers:
      '30 UTC = 0 | 18 east = 120 | 18 west = -300 | 16 half an hour off = 330 | 18 end of daylight saving time = autumn',
  },
  identicalRows: {
    source: ALARMS,
    does: 'Rows with the same text are one row, and are emitted once; a log line counts the copies.',
    answers: '80 none = 0 | 10 pairs = 12 | 10 bursts = 70',
  },
  alarmText: {
    source: ALARMS,
    does: 'A row is emitted again when its text has changed.',
    limits: 'Changes after the lookback go unnoticed.',
    answers: '88 stable = false | 12 changing = true',
  },
  boundTime: {
    source: BOUND,
    does: 'If the created field is not the time that `createdSince` refers to, rows are emitted whatever their time; a log line names the field.',
    limits: 'Several chains may miss rows unless they find the gap at their seams: use one chain.',
    answers: '90 the created time = created | 10 the time of receipt = received',
  },
  lateRows: {
    source: ORDER,
    does: 'The last `lookback_seconds` are read again, and known rows skipped.',
    limits: 'Incremental reads do not find rows that appear later.',
    answers: '40 none = 0 | 30 some = 10 | 30 most = 60',
  },
  futureRows: {
    source: CLOCK,
    does: 'The watermark is capped at the server’s time.',
    limits: 'The server’s (or local) clock must not be ahead.',
    answers: '92 none = 0 | 8 some = 15',
  },
  timelessRows: {
    source: ALARMS,
    does: 'Rows without a readable time are emitted; a WARN counts them.',
    limits: 'Later reads may emit them again.',
    answers: '92 none = 0 | 8 some = 15',
  },
  bound: {
    source: BOUND,
    does: 'A slightly earlier time is requested, and emitted rows are skipped.',
    answers:
      '40 inclusive | 17 exclusive | 17 cut to the second | 17 cut to the minute | 5 rounded to the minute | 4 later minutes',
  },
  boundWithoutRows: {
    source: BOUND,
    does: 'If a part that was cut off in the read is refused, it has no rows yet, and stays open.',
    limits: 'A refused start date fails the stream.',
    answers: '84 empty page = null | 8 status 400 = 400 | 8 status 404 = 404',
  },
  shortAlarmPages: {
    source: MAXIMUM,
    does: 'A short page is never treated as the end.',
    answers: '80 never = 0 | 20 some = 20',
  },
  emptyPages: {
    source: CURSOR,
    does: 'Cursors of empty pages are followed, up to 49 in a row.',
    answers: '80 never = 0 | 10 some = 10 | 10 many = 50',
  },
  lastCursor: {
    source: '“Empty string on the last page”',
    does: 'An empty, null or absent cursor is the end of the list, and so is an empty page with the cursor it was requested with. A full refresh reads the end once more.',
    limits: 'A false end in a list out of order, or in a full refresh of it, goes unnoticed.',
    answers: '40 empty | 15 null | 15 absent | 15 empty page | 15 the same cursor',
  },
  cursorKind: {
    source: CURSOR,
    does: 'Rows shifted onto the next page are skipped. A saved cursor is never used with a different page size.',
    limits: 'If rows before a position are deleted, the server skips others.',
    answers: '80 a place between rows | 10 a row number | 10 a page number',
  },
  cursorLife: {
    source: CURSOR,
    does: 'In proven order, a cursor is used for four minutes; after that, the chain starts again from the lower bound of its range. A cursor is saved only while the order is not proven.',
    answers: '60 forever = 1000000000000000 | 25 five minutes = 300000 | 15 ten minutes = 600000',
  },
  expiredCursor: {
    source: ERRORS,
    does: 'A chain whose cursor is refused starts again. An end behind an old cursor, or rows from before the requested time, are not believed.',
    limits: 'Cursors that die within four minutes, without a refusal, lose or repeat rows.',
    answers:
      '11 status 400 = 400 | 11 status 404 = 404 | 11 status 410 = 410 | 9 status 500 = 500 | 30 first page since the bound = first page | 9 first page of everything | 9 half of the first page | 9 empty last page',
  },
  assetKeys: {
    source: '“assetId: string, UUID”',
    does: 'A row is identified by its key (a string or a number), or else by its text.',
    limits:
      'Changing keyless rows may repeat, with a WARN, and each version counts. Different rows with one key may hide others; if one page shows them, a read with another total fails.',
    answers: '55 text | 20 number | 15 mixed | 7 absent | 3 shared',
  },
  pastEnd: {
    source: OFFSET,
    does: 'A 400, 404 or 416 above offset 0 means no rows.',
    limits: 'If rows are repeated instead, a changing list may fail (LIST_UNSTABLE, OFFSET_LIMITED).',
    answers:
      '70 empty page | 7 status 400 = 400 | 7 status 404 = 404 | 6 status 416 = 416 | 5 last page | 5 first page',
  },
  depth: {
    source: OFFSET,
    does: 'The read fails with OFFSET_LIMITED, or with ROWS_MISSING if less than a page is hidden.',
    limits:
      'Hidden rows may go unnoticed without a correct total, and if fewer than a page are hidden while others are deleted.',
    answers: '94 unlimited = null | 6 limited = 4..40',
  },
  assetInserts: {
    source: ORDER,
    does: 'A page is accepted only if it overlaps rows already read; the head is read again at the end.',
    answers: '35 never = 0 | 25 seldom = 5 | 20 often = 30 | 20 always = 100',
  },
  largePage: {
    source: LIMIT,
    does: 'The first page shows the page size; after a refusal, smaller pages are tried.',
    answers: '85 cut down = false | 15 refused = true',
  },
  shortAssetPages: {
    source: LIMIT,
    does: 'The offset advances by the rows received; a short page proves nothing.',
    answers: '70 never = 0 | 20 some = 15 | 10 most = 60',
  },
  totals: {
    source: '“totalCount: total number of rows in the result set”',
    does: 'A total is never the only evidence. Fewer rows than the smallest total of the last head pass fail the read (ROWS_MISSING).',
    limits: 'If the total counts something else, set `missing_rows` to `warn`.',
    answers:
      '48 right | 20 absent | 5 null | 5 minus one | 5 too large | 5 too small | 5 what was shown | 5 stale | 5 zero',
  },
  tokenLife: {
    source: '“Unit of expiresIn: not shown”',
    does: 'The documented validity shows which unit is meant.',
    answers: '20 seconds | 20 minutes | 20 milliseconds | 20 expires_in | 20 nothing',
  },
  fault: {
    source: NETWORK,
    does: 'Only whole, valid pages are accepted; retries have a budget.',
    answers:
      '1 status 503 | 1 status 500 | 1 status 408 | 1 status 429 | 1 status 429, Retry-After 7 | 1 status 429, Retry-After 0 | 1 no connection | 1 response lost | 1 cut | 1 stall | 1 half a page | 1 no items | 1 no pagination | 1 bad UTF-8 | 1 a web page | 1 tokens revoked | 1 another offset',
  },
  outage: {
    source: NETWORK,
    does: 'The stream ends with a transient error and a state; the other continues.',
    answers: '92 none | 3 of both lists = each | 2 of assets = assets | 3 of alarms = alarms',
  },
  hiccup: {
    source: ERRORS,
    does: 'After a page was received, a 401 (later with another token) or 403 is retried like a 503.',
    answers:
      '88 none = null | 3 status 401 = 401 | 3 status 403 = 403 | 3 status 429 = 429 | 3 status 503 = 503',
  },
  dateHeader: {
    source: NETWORK,
    does: 'Only times of the same clock are compared.',
    answers:
      '75 on every response = each | 10 on none = none | 8 on some = some | 7 on all but the first = not first',
  },
  serverClock: {
    source: CLOCK,
    does: 'The watermark stays at least one lookback behind the newest row.',
    answers: '76 right = 0..0 | 12 behind = 1000..600000 | 12 ahead = -600000..-1000',
  },
  localClock: {
    source: CLOCK,
    does: 'A correct local clock is needed only if the server states no time.',
    answers: '70 right = 0 | 15 ahead = 3600000 | 15 behind = -5400000',
  },
  clockChange: {
    source: CLOCK,
    does: 'A monotonic clock measures waits and intervals.',
    limits: 'A token may be requested again.',
    answers: '88 none = 0..0 | 6 set forward = 1000..7200000 | 6 set back = -7200000..-1000',
  },
  handover: {
    source: PERSON,
    does: 'A read resumes from any state or saved output, truncated or joined, without loss.',
    answers: '45 last state = last | 30 all output = joined | 25 earlier state = earlier',
  },
  chains: {
    source: PERSON,
    does: 'A backfill is split into ranges of created time that are read in parallel.',
    limits: 'This depends on the order of the list (see above).',
    answers: '45 one = 1 | 20 two = 2 | 13 three = 3 | 13 eight = 8 | 5 many = 24 | 4 most = 32',
  },
  createdField: {
    source: PERSON,
    does: 'If the state has another field, the read starts over, with a WARN; a field without readable times is rejected.',
    answers: '88 right = null | 6 unknown = nope | 6 another time = receivedAt',
  },
  ending: {
    source: PERSON,
    does: 'A state is written only after the rows that it covers.',
    limits: 'The next read repeats rows after the last state.',
    answers: '60 none | 18 killed after some bytes | 18 killed near a state | 4 stdout is closed',
  },
} as const satisfies Readonly<Record<string, Deviation>>;

/** Sizes and habits, which determine how much the deviations show. */
export const SIZES = {
  // of the lists
  createdName: '70 createdDate | 30 occurredAt',
  lateness:
    '25 none = 0 | 20 five seconds = 5000 | 20 a minute = 60000 | 20 five minutes = 300000 | 15 an hour = 3600000',
  ties: '50 none = 0 | 30 some = 15 | 20 most = 60',
  wholeTimes: '35 never | 20 some | 15 quarters | 15 seconds | 15 halves and twenties',
  hiddenDigits: '70 none = false | 30 finer than shown = true',
  alarmRows: '60 dozens = 20..60 | 30 few = 2..20 | 5 one = 1..1 | 5 none = 0..0',
  span: '30 ten minutes = 600000 | 20 half a minute = 30000 | 25 hours = 21600000 | 25 weeks = 1728000000',
  alarmInserts: '40 never = 0 | 30 seldom = 10 | 20 often = 40 | 10 always = 100',
  spread: '70 even | 15 bursts | 15 an empty stretch',
  alarmDeletes: '88 never = 0 | 12 some = 20',
  alarmPage: '60 several = 4..10 | 30 few = 2..3 | 10 one = 1..1',
  cursorScope: '80 any read = false | 20 one read = true',
  assetRows: '80 dozens = 2..55 | 10 one page = null | 5 one = 1..1 | 5 none = 0..0',
  assetText: '88 stable = false | 12 changing = true',
  assetDeletes: '35 never = 0 | 25 seldom = 5 | 20 often = 30 | 20 always = 100',
  assetPage: '88 several = 3..10 | 12 two = 2..2',
  offsetEcho: '40 requested offset | 30 start of the page | 30 absent',
  // of the network
  latency: '20 none = 0..0 | 40 milliseconds = 1..50 | 30 seconds = 50..3000 | 10 many seconds = 500..20000',
  faultRate: '50 none = 0 | 25 few = 3 | 25 many = 15',
  // of the person who runs reads
  streams: '58 alarms | 30 assets | 12 both',
  // besides assets and alarms
  furtherLists: '85 none = 0 | 5 one = 1 | 5 two = 2 | 5 four = 4',
  tokenKind: '60 general | 20 scoped | 20 module',
  tokenStore: '85 kept = true | 15 absent = false',
  reads: '25 one = 1 | 25 two = 2 | 25 three = 3 | 25 four = 4',
  keyAlone: '60 no = false | 40 yes = true',
  syncMode: '95 incremental = false | 5 full refresh = true',
  rowLimit: '86 none = false | 14 some = true',
  stop: '93 never = null | 7 within a minute = 0..60000',
  gap: '30 none = 0..0 | 30 a minute = 0..60000 | 20 hours = 0..7200000 | 20 days = 0..259200000',
  changes: '50 none = 0..0 | 50 some = 1..6',
  catalog: '50 given = true | 50 absent = false',
  assetPageSize: '92 several = 3..10 | 8 two = 2..2',
  alarmPageSize: '50 absent = null | 50 given = 1..10',
  concurrency: '25 one = 1 | 25 two = 2 | 25 four = 4 | 25 eight = 8',
  idField: '60 absent = null | 40 present = alarm',
  missingRows: '70 fail | 30 warn',
  minRows: '88 none = 0 | 6 one = 1 | 6 many = 1000',
  startDate: '50 unchanged | 30 earlier | 20 other',
  endDate: '48 unchanged | 32 none | 20 other',
  lookback: '78 unchanged = 0..0 | 14 longer = 1..600 | 8 too short = -3600..-1',
  stateEvery: '25 five seconds = 5000 | 45 every page = 0 | 15 a second = 1000 | 15 rarely = 15000',
  writeDelay: '70 none = 0 | 12 short = 10 | 12 seconds = 2000 | 6 long = 20000',
  writeStall: '88 none = null | 4 short = 30000 | 4 ten minutes = 600000 | 4 an hour and a half = 5400000',
} as const;
