import type { Deviation, ValueIn } from './deviation.ts';

const CLOCK = 'a clock';
const ORDER = '“Ordering guarantees of each list: not shown”';
const ALARMS = '“Fields of an alarm: not shown”';
const BOUND = '“Format of createdSince: not shown”';
const CURSOR = '“Opaque cursor that selects the next page”';
const MAXIMUM = '“A maximum exists”';
const LIMIT = '“Default and maximum limit of offset-based lists: not shown”';
const OFFSET = '“Offset is the number of rows to skip”';
const ERRORS = '“Error status codes: not shown”';

/** The parameters of a list: what a server may do that the API's document leaves open. docs/deviations.md is generated from them. */
export const LIST_PARAMETERS = {
  order: {
    source: ORDER,
    does: 'A list in any order is read from start to end. The question moves in mid-list, chains jump ahead and reads end early only while created times ascend within the lookback. If the order breaks after that, the next read starts where this one began, with a WARN.',
    limits:
      'If the order breaks after it was proven, and the read had parallel chains or an end date, or was interrupted, rows may be missed: use a full refresh with one chain. A killed read of a list that is not in ascending order starts over; rows beyond the last 10,000 repeat, with a WARN.',
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
    limits:
      'Rows left out by an `end_date` may be missed when it is removed. A state remembers the last 2,000 rows whatever their time; if more are returned again, they repeat, with a WARN. If the created field may be ahead of that time, an interrupted read and parallel chains miss rows: set `created_field` to the time that `createdSince` refers to.',
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
    does: 'The question stays one lookback behind the server’s time.',
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
    does: 'An empty, null or absent cursor is the end of the list, and so is an empty page with the cursor it was requested with. The next read finds what follows a false end.',
    limits: 'A false end in a list out of order, or in a full refresh, goes unnoticed.',
    answers: '40 empty | 15 null | 15 absent | 15 empty page | 15 the same cursor',
  },
  cursorKind: {
    source: CURSOR,
    does: 'Rows shifted onto the next page are skipped.',
    limits: 'If rows before a position are deleted, or come and go as replicas lag, the server skips others.',
    answers: '80 a place between rows | 10 a row number | 10 a page number',
  },
  cursorLife: {
    source: CURSOR,
    does: 'In proven order, a cursor is used for four minutes; after that, the question is asked again. After three starts that bring nothing new, old cursors are sent.',
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
      '70 empty page | 7 status 400 = 400 | 7 status 404 = 404 | 6 status 416 = 416 | 4 last page | 2 last page by number | 4 first page',
  },
  assetTies: {
    source: ORDER,
    does: 'A read that sees rows change their order says so, in a WARN and in its last line. If the total shows that rows are missing, it fails (ROWS_MISSING).',
    limits:
      'Without a total, or if rows are deleted meanwhile, rows are missing; if few rows are tied, nothing may show it. Use a larger `page_size`, or a sort without ties.',
    answers: '100 in one order | 0 in another order on each page',
  },
  assetFilter: {
    source: LIMIT,
    does: 'If rows are left out of pages that were cut, and the total counts them, the read fails (ROWS_MISSING), and says so.',
    limits: 'Without a total, rows may be missing.',
    answers: '100 never | 0 after the page was cut',
  },
  assetOffsets: {
    source: LIMIT,
    does: 'Offsets become multiples of smaller limits, so that pages overlap.',
    limits:
      'If the page size cannot be changed, the read fails with PAGES_UNUSABLE, and so does `check`. Pages of fewer than ten rows cannot overlap everywhere: reads of longer lists fail (PAGES_UNUSABLE, OFFSET_LIMITED, LIST_UNSTABLE), or say that rows are missing where `missing_rows` is "warn". Raise `page_size`.',
    answers: '90 any | 5 rounded down | 5 refused',
  },
  depth: {
    source: OFFSET,
    does: 'The read fails with OFFSET_LIMITED, or with ROWS_MISSING if less than a page is hidden.',
    limits:
      'Hidden rows may go unnoticed without a correct total, or if others are deleted, or change without a key, while fewer than a page (or ten rows) are hidden or only one page is shown.',
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
    does: 'A total is never the only evidence. Fewer rows than the smallest total of the last pass, apart from zeros on empty pages, fail the read (ROWS_MISSING).',
    limits: 'If the total counts something else, set `missing_rows` to `warn`.',
    answers:
      '48 right | 20 absent | 5 null | 5 minus one | 5 too large | 5 too small | 5 what was shown | 5 stale | 3 zero | 2 zero on empty pages',
  },
} as const satisfies Readonly<Record<string, Deviation>>;

/** Sizes and habits of a list, which determine how much its parameters show. */
export const LIST_SIZES = {
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
} as const;

type Answers = {
  readonly [P in keyof typeof LIST_PARAMETERS]: (typeof LIST_PARAMETERS)[P]['answers'];
} & typeof LIST_SIZES;

/** The values of a parameter or a size. */
export type ParameterValue<P extends keyof Answers> = ValueIn<Answers[P]>;
