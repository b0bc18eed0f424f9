import type { Draw } from './choices.ts';
import type { TimeFormName } from './time-forms.ts';

export type AlarmsPlan = ReturnType<typeof drawAlarms>;
export type AssetsPlan = ReturnType<typeof drawAssets>;

const STEPS_MS = {
  never: [1],
  some: [1, 1000, 60_000],
  quarters: [250],
  seconds: [1000],
  'halves and twenties': [500, 20_000],
} as const;

/** What decides whether the order of created times can be relied on. */
export interface Clocks {
  readonly startMs: number;
  readonly latencyMs: number;
  /** True where the server tells its time, and it is not ahead of the records'. */
  readonly areDependable: boolean;
}

/** How the list of alarms behaves. Percents are rows, pages or requests of a hundred. */
export function drawAlarms({ draw, size, between }: Draw, { startMs, latencyMs, areDependable }: Clocks) {
  const spanMs = draw('span');
  const offset = draw('zone');
  const autumn = { before: -240, after: -300, atMs: startMs - between(0, spanMs) + 3_600_000 };
  const futurePercent = draw('futureRows');
  const kind = draw('cursorKind');
  const noRowsStatus = draw('boundWithoutRows');
  const isPlace = kind === 'a place between rows';
  return {
    order: draw('order'),
    form: draw('timeForm') satisfies TimeFormName,
    // minutes east of UTC of times without a zone, which changes once
    zone: offset === 'autumn' ? autumn : { before: offset, after: offset, atMs: 0 },
    // rows that come late, lie in the future, show no time, share theirs with the row before, or all that this one has
    latePercent: draw('lateRows'),
    // the clock of times without a zone is known only by the newest row, which must not lie in the future then
    futurePercent: areDependable && offset === 0 ? futurePercent : 0,
    timelessPercent: draw('timelessRows'),
    tiePercent: draw('ties'),
    identicalPercent: draw('identicalRows'),
    isTextStable: !draw('alarmText'),
    emptyPercent: kind === 'a page number' ? 0 : draw('emptyPages'),
    rows: size('alarmRows'),
    // over which the first rows came in, up to the start
    spanMs,
    spread: draw('spread'),
    // the server knows times finer than it shows them
    knowsFiner: draw('hiddenDigits'),
    createdField: draw('createdName'),
    // each time is a multiple of one of these: whole seconds and minutes are what some servers write shorter
    stepsMs: STEPS_MS[draw('wholeTimes')],
    // a row comes in that long after it was created, at most
    maxLateMs: draw('lateness'),
    bound: draw('bound'),
    // what a first request is refused with if no row was created since; null for an empty page
    noRowsStatus,
    maxPerPage: size('alarmPage'),
    shortPercent: isPlace ? draw('shortAlarmPages') : 0,
    lastCursor: draw('lastCursor'),
    cursors: {
      kind,
      // a cursor that dies before it can be used makes a list that nobody can read
      lifeMs: Math.max(draw('cursorLife'), 20 * latencyMs),
      dieBetweenReads: draw('cursorScope'),
      // what answers a dead one: a status, or a page
      death: draw('deadCursor'),
    },
    // before how many requests rows come in, and how many at once
    inserts: { percent: draw('alarmInserts'), max: between(1, 3) },
    // before how many requests a row goes; positions then pass over rows, which no reader can know
    // and the newest row is what a read begins at
    deletePercent: isPlace && noRowsStatus === null ? draw('alarmDeletes') : 0,
    maxRows: 90,
  };
}

/** How the list of assets behaves. */
export function drawAssets({ draw, size, between, chance }: Draw) {
  const maxPerPage = size('assetPage');
  const changeOf = (percent: number, max: number) => ({ percent, max: chance(60) ? 1 : between(1, max) });
  const plan = {
    maxPerPage,
    // before how many requests of a hundred, and how many rows at most: at the head, and anywhere
    inserts: changeOf(draw('assetInserts'), maxPerPage + 2),
    deletes: changeOf(draw('assetDeletes'), 3),
    // of each `assetId`; mixed has texts and numbers of the same digits, and rows without any
    ids: draw('assetIds'),
    // a row's text is another one each time that it is shown
    isVolatile: draw('assetText'),
    totals: draw('totals'),
    rows: size('assetRows') ?? maxPerPage,
    // a larger limit is refused with a 400 rather than cut down
    refusesMore: draw('largePage'),
    // pages of a hundred that are cut short, to two rows at least
    shortPercent: draw('shortAssetPages'),
    echoesOffset: draw('offsetEcho'),
    pastEnd: draw('pastEnd'),
    // nothing stands beyond this offset, though the list is longer; null where it can be read to its end
    depth: size('depth'),
  };
  const { inserts, shortPercent, totals } = plan;
  // a list that one row comes into before every request never rests within a read; where pages are cut short too, and no total
  // tells, its end may be beyond proof
  const neverRests = inserts.percent === 100 && inserts.max === 1 && maxPerPage > 2;
  const canBeProven = shortPercent === 0 || totals === 'right';
  // rows that there ever are
  return { ...plan, maxRows: neverRests && canBeProven ? 200 : 90 };
}
