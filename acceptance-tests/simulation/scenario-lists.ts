import type { Choices } from './choices.ts';
import { FORM_NAMES } from './time-forms.ts';
import type { TimeFormName } from './time-forms.ts';

export type AlarmsPlan = ReturnType<typeof drawAlarms>;
export type AssetsPlan = ReturnType<typeof drawAssets>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const OFFSETS = [120, -300, 330];
const BOUNDS = ['inclusive', 'inclusive', 'exclusive', 'cut to the second', 'cut to the minute'] as const;
const LAST_CURSORS = ['empty', 'empty', 'null', 'absent', 'empty page'] as const;
const ODD_TOTALS = ['null', '-1', 'too large', 'too small', 'what was shown', 'stale'] as const;
const DEATHS = [400, 404, 410, 'first page', 'first page'] as const;
const WITHOUT_ZONE = FORM_NAMES.filter((name) => name.startsWith('no zone'));

/** How the list of alarms behaves. Percents are rows, pages or requests of a hundred. */
export function drawAlarms(choices: Choices, latencyMs: number) {
  const { between, chance, pick, weighted } = choices;
  // in the order in which rows came in (arrival), each is at most the lookback late
  const order = weighted([55, 'created'], [25, 'arrival'], [10, 'descending'], [10, 'shuffled']);
  const form = weighted<TimeFormName>([25, 'Z, ms'], [55, pick(FORM_NAMES)], [20, pick(WITHOUT_ZONE)]);
  // minutes east of UTC of times without a zone
  const localOffset = chance(65) ? pick(OFFSETS) : 0;
  return {
    order,
    form,
    localOffset,
    // rows that come late, lie in the future, show no time, or share theirs with the row before
    latePercent: weighted([40, 0], [30, 10], [30, 60]),
    // the clock of times without a zone is known only by the newest row, which must not lie in the future then
    futurePercent: chance(8) && localOffset === 0 ? 15 : 0,
    timelessPercent: chance(6) ? 15 : 0,
    emptyPercent: weighted([80, 0], [10, 10], [10, 50]),
    rows: weighted([5, 0], [5, 1], [30, between(2, 20)], [60, between(20, 60)]),
    // over which the first rows came in, up to the start
    spanMs: weighted([20, 30_000], [30, 10 * MINUTE_MS], [25, 6 * HOUR_MS], [25, 20 * DAY_MS]),
    // the server knows times finer than it shows them
    knowsFiner: chance(30),
    createdField: chance(70) ? 'createdDate' : 'occurredAt',
    tiePercent: weighted([50, 0], [30, 15], [20, 60]),
    // each time is a multiple of one of these: whole seconds and minutes are what some servers write shorter
    stepsMs: weighted<readonly number[]>(
      [35, [1]],
      [20, [1, 1000, MINUTE_MS]],
      [15, [250]],
      [15, [1000]],
      [15, [500, 20_000]],
    ),
    // a row comes in that long after it was created, at most
    mostLateMs: weighted([25, 0], [20, 5000], [20, MINUTE_MS], [20, 5 * MINUTE_MS], [15, HOUR_MS]),
    bound: pick(BOUNDS),
    mostPerPage: between(1, 10),
    shortPercent: weighted([80, 0], [20, 20]),
    lastCursor: pick(LAST_CURSORS),
    cursors: drawCursors(choices, latencyMs),
    // before how many requests rows come in, and how many at once
    inserts: { percent: weighted([40, 0], [30, 10], [20, 40], [10, 100]), most: between(1, 3) },
    mostRows: 90,
  };
}

function drawCursors({ chance, pick, weighted }: Choices, latencyMs: number) {
  const lifeMs = weighted([60, Number.POSITIVE_INFINITY], [25, MINUTE_MS], [15, 10 * MINUTE_MS]);
  return {
    // a cursor that dies before it can be used makes a list that nobody can read
    lifeMs: Math.max(lifeMs, 20 * latencyMs),
    dieBetweenReads: chance(20),
    // what answers a dead one: a status, or the first page as if none had been sent
    death: pick(DEATHS),
  };
}

/** How the list of assets behaves. */
export function drawAssets(choices: Choices) {
  const { between, chance, weighted } = choices;
  const mostPerPage = chance(12) ? 2 : between(3, 10);
  const plan = {
    mostPerPage,
    // before how many requests of a hundred, and how many rows at most: at the head, and anywhere
    inserts: drawChange(choices, mostPerPage + 2),
    deletes: drawChange(choices, 3),
    // of each `assetId`; mixed has texts and numbers of the same digits, and rows without any
    ids: weighted([55, 'text'], [20, 'number'], [15, 'mixed'], [10, 'absent']),
    // a row's text is another one each time that it is shown
    isVolatile: chance(12),
    totals: weighted([50, 'right'], [20, 'absent'], ...ODD_TOTALS.map((odd) => [5, odd] as const)),
    rows: weighted([5, 0], [5, 1], [10, mostPerPage], [80, between(2, 55)]),
    // a larger limit is refused with a 400 rather than cut down
    refusesMore: chance(15),
    // pages of a hundred that are cut short, to two rows at least
    shortPercent: weighted([70, 0], [20, 15], [10, 60]),
    echoesOffset: chance(70),
  };
  const { inserts, shortPercent, totals } = plan;
  // a list that one row comes into before every request never rests within a read; where pages are cut short too, and no total
  // tells, its end may be beyond proof
  const neverRests = inserts.percent === 100 && inserts.most === 1 && mostPerPage > 2;
  const canBeProven = shortPercent === 0 || totals === 'right';
  // rows that there ever are
  return { ...plan, mostRows: neverRests && canBeProven ? 300 : 90 };
}

function drawChange({ between, chance, weighted }: Choices, most: number) {
  const percent = weighted([35, 0], [25, 5], [20, 30], [20, 100]);
  return { percent, most: chance(60) ? 1 : between(1, most) };
}
