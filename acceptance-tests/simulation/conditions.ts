import type { Deviation } from '../model/deviation.ts';

const PERSON = 'a person';
const NETWORK = 'the network';
const CLOCK = 'a clock';
const ERRORS = '“Error status codes: not shown”';

/** What a network, a clock or a person may do. */
export const CONDITIONS = {
  tokenLife: {
    source: '“Unit of expiresIn: not shown”',
    section: 'Another unit of `expiresIn`',
    answers: '20 seconds | 20 minutes | 20 milliseconds | 20 expires_in | 20 nothing',
  },
  fault: {
    source: NETWORK,
    section: 'Failed requests and broken pages',
    answers:
      '1 status 503 | 1 status 500 | 1 status 408 | 1 status 429 | 1 status 429, Retry-After 7 | 1 status 429, Retry-After 0 | 1 no connection | 1 response lost | 1 cut | 1 stall | 1 half a page | 1 no items | 1 no pagination | 1 bad UTF-8 | 1 a web page | 1 tokens revoked | 1 another offset',
  },
  outage: {
    source: NETWORK,
    section: 'Outages',
    answers: '92 none | 3 of both lists = each | 2 of assets = assets | 3 of alarms = alarms',
  },
  hiccup: {
    source: ERRORS,
    section: 'Refusals in the middle of a read',
    answers:
      '88 none = null | 3 status 401 = 401 | 3 status 403 = 403 | 3 status 429 = 429 | 3 status 503 = 503',
  },
  dateHeader: {
    source: NETWORK,
    section: 'Clocks that are wrong',
    answers:
      '75 on every response = each | 10 on none = none | 8 on some = some | 7 on all but the first = not first',
  },
  serverClock: {
    source: CLOCK,
    section: 'Clocks that are wrong',
    answers: '76 right = 0..0 | 12 behind = 1000..600000 | 12 ahead = -600000..-1000',
  },
  localClock: {
    source: CLOCK,
    section: 'Clocks that are wrong',
    answers: '70 right = 0 | 15 ahead = 3600000 | 15 behind = -5400000',
  },
  clockChange: {
    source: CLOCK,
    section: 'Clocks that are wrong',
    answers: '88 none = 0..0 | 6 set forward = 1000..7200000 | 6 set back = -7200000..-1000',
  },
  handover: {
    source: PERSON,
    section: 'Any state, any order of outputs',
    answers: '45 last state = last | 30 all output = joined | 25 earlier state = earlier',
  },
  chains: {
    source: PERSON,
    section: 'Parallel chains',
    answers: '45 one = 1 | 20 two = 2 | 13 three = 3 | 13 eight = 8 | 5 many = 24 | 4 most = 32',
  },
  createdField: {
    source: PERSON,
    section: 'Another created field',
    answers: '88 right = null | 6 unknown = nope | 6 another time = receivedAt',
  },
  ending: {
    source: PERSON,
    section: 'A read that is stopped',
    answers: '60 none | 18 killed after some bytes | 18 killed near a state | 4 stdout is closed',
  },
} as const satisfies Readonly<Record<string, Deviation>>;

/** Sizes and habits of the network and of the person who runs reads, which determine how much the deviations show. */
export const HABITS = {
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
