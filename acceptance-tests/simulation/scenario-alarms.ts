import type { Random } from '../sandbox/data/random.ts';
import { between, chance, weighted } from './choice.ts';
import type { CursorLife } from './cursors.ts';
import type { Choose } from './features.ts';
import { FORM_NAMES } from './time-forms.ts';
import type { TimeFormName } from './time-forms.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const OFFSETS = [120, -300, 330];
const BOUNDS = ['inclusive', 'inclusive', 'exclusive', 'cut to the second', 'cut to the minute'] as const;
const LAST_CURSORS = ['empty', 'empty', 'null', 'absent', 'empty page'] as const;
const WITHOUT_ZONE = FORM_NAMES.filter((name) => name.startsWith('no zone'));

export type AlarmsPlan = ReturnType<typeof drawAlarms>;

/** Draws how the list of alarms behaves. Percents are rows, pages or requests of a hundred. */
export function drawAlarms(random: Random, choose: Choose, latencyMs: number) {
  const order = weighted(random, [55, 'created'], [25, 'arrival'], [10, 'descending'], [10, 'shuffled']);
  const steady = choose('disorder', order, order === 'arrival' ? order : 'created');
  const form = weighted<TimeFormName>(
    random,
    [25, 'Z, ms'],
    [55, random.pick(FORM_NAMES)],
    [20, random.pick(WITHOUT_ZONE)],
  );
  const isLocal = chance(random, 65);
  const localOffset = isLocal ? random.pick(OFFSETS) : 0;
  const latePercent = weighted(random, [40, 0], [30, 10], [30, 60]);
  // the clock of times without a zone is known only by the newest row, which must not lie in the future then
  const futurePercent = chance(random, 8) && localOffset === 0 ? 15 : 0;
  const timelessPercent = chance(random, 6) ? 15 : 0;
  const emptyPercent = weighted(random, [80, 0], [10, 10], [10, 50]);
  return {
    rows: weighted(random, [5, 0], [5, 1], [30, between(random, 2, 20)], [60, between(random, 20, 60)]),
    // over which the first rows came in, up to the start
    spanMs: weighted(random, [20, 30_000], [30, 10 * MINUTE_MS], [25, 6 * HOUR_MS], [25, 20 * DAY_MS]),
    // in the order in which rows came in (arrival), each at most the lookback after it was created
    order: choose('late rows', steady, steady === 'arrival' ? 'created' : steady),
    form: choose('varying times', form, steadyForm(form)),
    // minutes east of UTC of times without a zone
    localOffset: choose('local times', localOffset, 0),
    // the server knows times finer than it shows them
    knowsFiner: chance(random, 30),
    createdField: chance(random, 70) ? 'createdDate' : 'occurredAt',
    // rows that share their time with the row before, come late, lie in the future, or show no time
    tiePercent: weighted(random, [50, 0], [30, 15], [20, 60]),
    latePercent: choose('late rows', latePercent, 0),
    futurePercent: choose('future rows', futurePercent, 0),
    timelessPercent: choose('rows without time', timelessPercent, 0),
    // each time is a multiple of one of these: whole seconds and minutes are what some servers write shorter
    stepsMs: weighted<readonly number[]>(
      random,
      [35, [1]],
      [20, [1, 1000, MINUTE_MS]],
      [15, [250]],
      [15, [1000]],
      [15, [500, 20_000]],
    ),
    // a row comes in that long after it was created, at most
    mostLateMs: weighted(random, [25, 0], [20, 5000], [20, MINUTE_MS], [20, 5 * MINUTE_MS], [15, HOUR_MS]),
    bound: random.pick(BOUNDS),
    mostPerPage: between(random, 1, 10),
    shortPercent: weighted(random, [80, 0], [20, 20]),
    emptyPercent: choose('empty pages', emptyPercent, 0),
    lastCursor: random.pick(LAST_CURSORS),
    cursors: drawCursors(random, choose, latencyMs),
    // before how many requests rows come in, and how many at once
    inserts: {
      percent: weighted(random, [40, 0], [30, 10], [20, 40], [10, 100]),
      most: between(random, 1, 3),
    },
    mostRows: 90,
  };
}

function drawCursors(random: Random, choose: Choose, latencyMs: number): CursorLife {
  const lifeMs = weighted(random, [60, Number.POSITIVE_INFINITY], [25, MINUTE_MS], [15, 10 * MINUTE_MS]);
  const dieBetweenReads = chance(random, 20);
  const death = random.pick([400, 404, 410, 'first page', 'first page'] as const);
  return {
    // a cursor that dies before it can be used makes a list that nobody can read
    lifeMs: choose('dead cursors', Math.max(lifeMs, 20 * latencyMs), Number.POSITIVE_INFINITY),
    dieBetweenReads: choose('dead cursors', dieBetweenReads, false),
    death: choose('first page for dead cursors', death, death === 'first page' ? 400 : death),
  };
}

/** The form that stands in for one whose times vary, or bear no zone. */
function steadyForm(form: TimeFormName): TimeFormName {
  return form.includes('trimmed') || form === 'offsets by row' ? 'Z, ms' : form;
}
