/** Something that the connector does not decide, and the answers that others may give. */
interface Deviation {
  /** The words of docs/api.md that leave it open, or who decides it. */
  readonly source: string;
  /** What the connector does, whichever answer it meets. */
  readonly does: string;
  /** What no reader can guarantee, and how the connector reports it. */
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
const LIMIT = '“A maximum exists”';
const PAGES = '“Default and maximum limit of offset-based lists: not shown”';
const OFFSETS = '“The request with limit L and offset O returns L rows starting at row O”';
const ERRORS = '“Error status codes: not shown”';

/*
 * All that a server, a network, a clock or a person may do. Answers stand beside each other as `weight name = value`, where the
 * value is the name if there is none; `a..b` is a range that includes both ends. Times are in ms, rates are percentages. The first
 * answer is the baseline that the others differ from; a weight of 0 waits for the connector to guarantee the answer.
 */

/** What docs/deviations.md explains. */
export const DEVIATIONS = {
  order: {
    source: ORDER,
    does: 'Reads a list in any order from its start to its end. Raises bounds and stops early only while created times ascend within the lookback; at the first contradiction it warns and reads on as one chain.',
    limits:
      'Parallel chains, and a chain that had to resume by created time, may miss rows that stand out of order. Use a full refresh with one chain.',
    answers:
      '55 by created time | 25 by arrival | 10 descending | 10 shuffled | 0 old rows last | 0 rows without a time last',
  },
  timeForm: {
    source: ALARMS,
    does: 'Recognises the format of each row, compares times exactly and writes bounds in the format of the rows.',
    answers:
      '28 Z, ms | 3 Z, s | 3 Z, min | 3 Z, ns | 3 +02:00, µs | 3 -0530, s | 3 offsets by row | 3 Z, fraction trimmed | 3 Z, seconds and fraction trimmed | 3 +01:00, seconds and fraction trimmed | 10 no zone, T | 10 no zone, blank | 10 no zone, trimmed | 3 epoch s | 3 epoch ms | 3 epoch ms as text | 3 epoch s with fraction | 3 epoch s, fraction trimmed',
  },
  zone: {
    source: ALARMS,
    does: 'Takes times without a zone as they stand and never compares them with a clock.',
    answers:
      '36 UTC = 0 | 22 east = 120 | 21 west = -300 | 21 half an hour off = 330 | 0 end of summer time = autumn',
  },
  identicalRows: {
    source: ALARMS,
    does: 'Emits as many equal rows as the list contains. A known text alone proves nothing: a resumed chain reads that place again by created time.',
    answers: '100 none = 0 | 0 pairs = 12 | 0 bursts = 70',
  },
  alarmText: {
    source: ALARMS,
    does: 'Treats a row whose text has changed as a new version and emits it again.',
    answers: '100 stable = false | 0 changing = true',
  },
  lateRows: {
    source: ORDER,
    does: 'Reads the last `lookback_seconds` again and drops known rows by fingerprint.',
    limits: 'A row that appears later than the lookback is not found.',
    answers: '40 none = 0 | 30 some = 10 | 30 most = 60',
  },
  futureRows: {
    source: CLOCK,
    does: 'Caps the watermark at the server’s time, so that a created time in the future hides nothing.',
    answers: '92 none = 0 | 8 some = 15',
  },
  timelessRows: {
    source: ALARMS,
    does: 'Emits rows without a readable time, counts them in a WARN and leaves the watermark where it is.',
    limits: 'Such a row may be emitted again by later reads.',
    answers: '94 none = 0 | 6 some = 15',
  },
  bound: {
    source: BOUND,
    does: 'Asks from below the time it needs, in the format of the rows, and drops what it has emitted.',
    answers:
      '40 inclusive | 20 exclusive | 20 cut to the second | 20 cut to the minute | 0 rounded to the minute',
  },
  shortAlarmPages: {
    source: LIMIT,
    does: 'Ends a chain only where no cursor follows.',
    answers: '80 never = 0 | 20 some = 20',
  },
  emptyPages: {
    source: CURSOR,
    does: 'Follows the cursor of an empty page, up to 50 in a row.',
    answers: '80 never = 0 | 10 some = 10 | 10 many = 50',
  },
  lastCursor: {
    source: '“Empty string on the last page”',
    does: 'Takes an empty, null or absent cursor for the end.',
    answers: '40 empty | 20 null | 20 absent | 20 empty page',
  },
  cursorKind: {
    source: CURSOR,
    does: 'With `id_field`, skips rows that a late row pushes onto the next page.',
    limits: 'Without `id_field` such rows may be emitted twice; a log line counts them.',
    answers: '100 a place between rows | 0 a row number | 0 a page number',
  },
  cursorLife: {
    source: CURSOR,
    does: 'Tries a saved cursor for an hour; where it is dead, the chain resumes from the created time it has reached.',
    answers: '60 forever = 1000000000000000 | 25 a minute = 60000 | 15 ten minutes = 600000',
  },
  deadCursor: {
    source: ERRORS,
    does: 'Notices the answer to a dead cursor and resumes from the created time.',
    answers:
      '20 status 400 = 400 | 20 status 404 = 404 | 20 status 410 = 410 | 40 first page since the bound = first page | 0 first page of everything | 0 half of the first page | 0 empty last page',
  },
  assetIds: {
    source: '“assetId: string, UUID”',
    does: 'Identifies a row by its key as text or number, else by its text.',
    limits: 'Rows without a key may be emitted twice if their text changes; a WARN says so.',
    answers: '55 text | 20 number | 15 mixed | 10 absent',
  },
  pastEnd: {
    source: OFFSETS,
    does: 'Takes an empty page, a 400, 404 or 416 at an offset above 0 for the end of the list.',
    answers:
      '100 empty page | 0 status 400 = 400 | 0 status 404 = 404 | 0 status 416 = 416 | 0 last page | 0 first page',
  },
  depth: {
    source: OFFSETS,
    does: 'Fails with OFFSET_LIMITED, naming the offset and the total, after a few requests.',
    limits: 'Rows beyond the limit cannot be read.',
    answers: '100 unlimited = null | 0 limited = 4..40',
  },
  assetInserts: {
    source: ORDER,
    does: 'Overlaps neighbouring pages and ties each to what it has read by a row that both hold; looks at the head once more at the end.',
    answers: '35 never = 0 | 25 seldom = 5 | 20 often = 30 | 20 always = 100',
  },
  largePage: {
    source: PAGES,
    does: 'Learns the page size from the first page; tries smaller ones if it is refused.',
    answers: '85 cut down = false | 15 refused = true',
  },
  shortAssetPages: {
    source: PAGES,
    does: 'Advances by rows received; proves the end instead of trusting a short page.',
    answers: '70 never = 0 | 20 some = 15 | 10 most = 60',
  },
  totals: {
    source: '“totalCount: total number of rows in the result set”',
    does: 'Uses the total only as a check: fewer rows than the smallest total of the last pass fail the read with ROWS_MISSING.',
    limits: 'Where the total counts something else, `missing_rows: "warn"` turns the failure into a WARN.',
    answers:
      '50 right | 20 absent | 5 null | 5 minus one | 5 too large | 5 too small | 5 what was shown | 5 stale | 0 zero',
  },
  tokenLife: {
    source: '“Unit of expiresIn: not shown”',
    does: 'Takes the unit under which it equals the documented validity.',
    answers: '20 seconds | 20 minutes | 20 milliseconds | 20 expires_in | 20 nothing',
  },
  fault: {
    source: NETWORK,
    does: 'Accepts only whole, valid pages; repeats every other attempt within its budget.',
    answers:
      '1 status 503 | 1 status 500 | 1 status 408 | 1 status 429 | 1 status 429, Retry-After 7 | 1 status 429, Retry-After 0 | 1 no connection | 1 answer lost | 1 cut | 1 stall | 1 half a page | 1 no items | 1 no pagination | 1 bad UTF-8 | 1 a web page | 1 tokens revoked | 1 another offset',
  },
  outage: {
    source: NETWORK,
    does: 'Ends the stream with a transient error and a state to resume from.',
    answers: '92 none | 3 of both lists = each | 2 of assets = assets | 3 of alarms = alarms',
  },
  hiccup: {
    source: NETWORK,
    does: 'Retries a 401 or 403 like a 503 once the list has returned pages to this process.',
    answers:
      '100 none = null | 0 status 401 = 401 | 0 status 403 = 403 | 0 status 429 = 429 | 0 status 503 = 503',
  },
  dateHeader: {
    source: NETWORK,
    does: 'Compares times of one clock only.',
    answers:
      '85 on every response = each | 15 on none = none | 0 on some = some | 0 on all but the first = not first',
  },
  serverClock: {
    source: CLOCK,
    does: 'Never trusts the clock beyond the lookback.',
    answers: '82 right = 0..0 | 18 behind = 1000..600000 | 0 ahead = -600000..-1000',
  },
  handover: {
    source: PERSON,
    does: 'Takes states and saved output, also cut off or joined, and loses nothing from any state ever written.',
    answers: '45 last state = last | 30 all output = joined | 25 earlier state = earlier',
  },
  chains: {
    source: PERSON,
    does: 'Cuts the time into ranges that are read side by side.',
    answers: '50 one = 1 | 20 two = 2 | 15 three = 3 | 15 eight = 8 | 0 many = 24 | 0 most = 32',
  },
  ending: {
    source: PERSON,
    does: 'Writes a state only after the rows it covers.',
    answers: '60 none | 18 killed after some bytes | 18 killed near a state | 4 the reader goes away',
  },
} as const satisfies Readonly<Record<string, Deviation>>;

/** Sizes and habits, which decide how much the deviations show. */
const SIZES = {
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
  spread: '100 even | 0 bursts | 0 an empty stretch',
  alarmDeletes: '100 never = 0 | 0 some = 20',
  alarmPage: '60 several = 4..10 | 30 few = 2..3 | 10 one = 1..1',
  cursorScope: '80 any read = false | 20 one read = true',
  assetRows: '80 dozens = 2..55 | 10 one page = null | 5 one = 1..1 | 5 none = 0..0',
  assetText: '88 stable = false | 12 changing = true',
  assetDeletes: '35 never = 0 | 25 seldom = 5 | 20 often = 30 | 20 always = 100',
  assetPage: '88 several = 3..10 | 12 two = 2..2',
  offsetEcho: '70 present = true | 30 absent = false',
  // of the network and the clocks
  latency: '20 none = 0..0 | 40 milliseconds = 1..50 | 30 seconds = 50..3000 | 10 many seconds = 500..20000',
  faultRate: '50 none = 0 | 25 few = 3 | 25 many = 15',
  localClock: '70 right = 0 | 15 ahead = 3600000 | 15 behind = -5400000',
  clockChange: '100 none = 0..0 | 0 set forward = 1000..7200000 | 0 set back = -7200000..-1000',
  // of the person who runs reads
  streams: '58 alarms | 30 assets | 12 both',
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
  idField: '100 absent = null | 0 present = alarm',
  missingRows: '100 fail | 0 warn',
  minRows: '100 none = 0 | 0 one = 1 | 0 many = 1000',
  startDate: '50 unchanged | 30 earlier | 20 other',
  endDate: '48 unchanged | 32 none | 20 other',
  createdField: '94 right = null | 6 unknown = nope | 0 another time = receivedAt',
  lookback: '85 unchanged = 0..0 | 15 longer = 1..600 | 0 too short = -3600..-1',
  stateEvery: '25 five seconds = 5000 | 45 every page = 0 | 15 a second = 1000 | 15 rarely = 15000',
  writeDelay: '70 none = 0 | 12 short = 10 | 12 seconds = 2000 | 6 long = 20000',
  writeStall: '88 none = null | 4 short = 30000 | 4 ten minutes = 600000 | 4 an hour and a half = 5400000',
} as const;

export type DimensionName = keyof typeof DEVIATIONS | keyof typeof SIZES;

/** The answers to each dimension. */
export const ANSWERS = Object.fromEntries(
  [...Object.entries<Deviation>(DEVIATIONS), ...Object.entries<string>(SIZES)].map(([name, entry]) => [
    name,
    (typeof entry === 'string' ? entry : entry.answers).split(' | ').map(parsed),
  ]),
) as unknown as Readonly<Record<DimensionName, readonly ReturnType<typeof parsed>[]>>;

function parsed(text: string) {
  const [, weight, answer = '', value = answer] = /^(\d+) (.*?)(?: = (.*))?$/.exec(text) ?? [];
  const isLiteral = /^(-?[\d.]+|true|false|null)$/.test(value);
  const range = value.split('..').map(Number);
  const literal = isLiteral && range.length === 1 ? (JSON.parse(value) as unknown) : value;
  return { weight: Number(weight), answer, value: range.length === 2 ? range : literal };
}

/** What a scenario holds for the answer to a dimension. */
export type ValueOf<D extends DimensionName> = D extends keyof typeof DEVIATIONS
  ? ValueIn<(typeof DEVIATIONS)[D]['answers']>
  : D extends keyof typeof SIZES
    ? ValueIn<(typeof SIZES)[D]>
    : never;
type ValueIn<Text> = Text extends `${infer First} | ${infer Rest}`
  ? ValueIn<First> | ValueIn<Rest>
  : Value<Text>;
type Value<Text> = Text extends `${number} ${infer Name}`
  ? Name extends `${string} = ${infer Given}`
    ? Literal<Given>
    : Name
  : never;
type Literal<Text> = Text extends `${number}..${number}`
  ? readonly [number, number]
  : Text extends `${infer Plain extends number | boolean | null}`
    ? Plain
    : Text;
