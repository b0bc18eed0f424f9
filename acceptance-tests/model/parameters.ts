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

/** The parameters of a list: what a server may do that the API's document leaves open. docs/deviations.md explains them. */
export const LIST_PARAMETERS = {
  order: {
    source: ORDER,
    section: 'Another order',
    answers:
      '55 by created time | 20 by arrival | 9 descending | 9 shuffled | 5 old rows last | 5 rows without a time last | 5 rows without a time first',
  },
  timeFormat: {
    source: ALARMS,
    section: 'Times in any format',
    answers:
      '28 Z, ms | 3 Z, s | 3 Z, min | 4 date | 3 Z, ns | 3 +02:00, µs | 3 -0530, s | 3 offsets by row | 3 Z, fraction trimmed | 3 Z, seconds and fraction trimmed | 3 +01:00, seconds and fraction trimmed | 10 no zone, T | 10 no zone, blank | 10 no zone, trimmed | 3 epoch s | 3 epoch ms | 3 epoch ms as text | 3 epoch s with fraction | 3 epoch s, fraction trimmed',
  },
  zone: {
    source: ALARMS,
    section: 'Times without a zone',
    answers:
      '30 UTC = 0 | 18 east = 120 | 18 west = -300 | 16 half an hour off = 330 | 18 end of daylight saving time = autumn',
  },
  identicalRows: {
    source: ALARMS,
    section: 'Rows that are written alike',
    answers: '80 none = 0 | 10 pairs = 12 | 10 bursts = 70',
  },
  alarmText: {
    source: ALARMS,
    section: 'Rows that change',
    answers: '88 stable = false | 12 changing = true',
  },
  boundTime: {
    source: BOUND,
    section: '`createdSince` that refers to another time',
    answers: '90 the created time = created | 10 the time of receipt = received',
  },
  lateRows: {
    source: ORDER,
    section: 'Rows that appear late',
    answers: '40 none = 0 | 30 some = 10 | 30 most = 60',
  },
  futureRows: {
    source: CLOCK,
    section: 'Clocks that are wrong',
    answers: '92 none = 0 | 8 some = 15',
  },
  timelessRows: {
    source: ALARMS,
    section: 'Rows without a time',
    answers: '92 none = 0 | 8 some = 15',
  },
  bound: {
    source: BOUND,
    section: 'An inexact bound',
    answers:
      '40 inclusive | 17 exclusive | 17 cut to the second | 17 cut to the minute | 5 rounded to the minute | 4 later minutes',
  },
  boundWithoutRows: {
    source: BOUND,
    section: 'A bound that is refused',
    answers: '84 empty page = null | 8 status 400 = 400 | 8 status 404 = 404',
  },
  shortAlarmPages: {
    source: MAXIMUM,
    section: 'Short and empty pages',
    answers: '80 never = 0 | 20 some = 20',
  },
  emptyPages: {
    source: CURSOR,
    section: 'Short and empty pages',
    answers: '80 never = 0 | 10 some = 10 | 10 many = 50',
  },
  lastCursor: {
    source: '“Empty string on the last page”',
    section: 'False ends',
    answers: '40 empty | 15 null | 15 absent | 15 empty page | 15 the same cursor',
  },
  cursorKind: {
    source: CURSOR,
    section: 'Cursors that are row numbers or page numbers',
    answers: '80 a place between rows | 10 a row number | 10 a page number',
  },
  cursorLife: {
    source: CURSOR,
    section: 'Cursors that expire',
    answers: '60 forever = 1000000000000000 | 25 five minutes = 300000 | 15 ten minutes = 600000',
  },
  expiredCursor: {
    source: ERRORS,
    section: 'Cursors that expire',
    answers:
      '11 status 400 = 400 | 11 status 404 = 404 | 11 status 410 = 410 | 9 status 500 = 500 | 30 first page since the bound = first page | 9 first page of everything | 9 half of the first page | 9 empty last page',
  },
  assetKeys: {
    source: '“assetId: string, UUID”',
    section: 'Rows without a key, or with the key of another row',
    answers: '55 text | 20 number | 15 mixed | 7 absent | 3 shared',
  },
  pastEnd: {
    source: OFFSET,
    section: 'Requests beyond the end',
    answers:
      '70 empty page | 7 status 400 = 400 | 7 status 404 = 404 | 6 status 416 = 416 | 5 last page | 5 first page',
  },
  depth: {
    source: OFFSET,
    section: 'A largest offset',
    answers: '94 unlimited = null | 6 limited = 4..40',
  },
  assetInserts: {
    source: ORDER,
    section: 'Rows that are inserted or deleted during a read',
    answers: '35 never = 0 | 25 seldom = 5 | 20 often = 30 | 20 always = 100',
  },
  largePage: {
    source: LIMIT,
    section: 'A largest page, and short pages',
    answers: '85 cut down = false | 15 refused = true',
  },
  shortAssetPages: {
    source: LIMIT,
    section: 'A largest page, and short pages',
    answers: '70 never = 0 | 20 some = 15 | 10 most = 60',
  },
  totals: {
    source: '“totalCount: total number of rows in the result set”',
    section: 'Wrong totals',
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
