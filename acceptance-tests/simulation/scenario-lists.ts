import type { Draw } from './choices.ts';
import type { TimeFormName } from '../model/time-forms.ts';

export type AlarmsPlan = ReturnType<typeof drawAlarms>;
export type AssetsPlan = ReturnType<typeof drawAssets>;

const STEPS_MS = {
  never: [1],
  some: [1, 1000, 60_000],
  quarters: [250],
  seconds: [1000],
  'halves and twenties': [500, 20_000],
} as const;

/** What determines whether created times can be compared with the server's clock. */
export interface Clocks {
  readonly startMs: number;
  readonly latencyMs: number;
  /** Whether the server states its time, and it is not ahead of the records' clock. */
  readonly areDependable: boolean;
  /** How far, in ms, the clock that reads take for the server's is ahead of it. */
  readonly aheadMs: number;
}

/** How the list of alarms behaves. Percentages are of rows, pages or requests. */
export function drawAlarms({ draw, size, between }: Draw, { startMs, latencyMs, areDependable }: Clocks) {
  const spanMs = draw('span');
  const offset = draw('zone');
  const autumn = { before: -240, after: -300, atMs: startMs - between(0, spanMs) + 3_600_000 };
  const futurePercent = draw('futureRows');
  const kind = draw('cursorKind');
  const noRowsStatus = draw('boundWithoutRows');
  const isPlace = kind === 'a place between rows';
  const boundTime = draw('boundTime');
  const order = draw('order');
  return {
    // rows are listed as they are received, if that is the time that `createdSince` refers to
    boundTime,
    order: boundTime === 'received' ? 'by arrival' : order,
    form: draw('timeFormat') satisfies TimeFormName,
    // minutes east of UTC of times without a zone; it changes once
    zone: offset === 'autumn' ? autumn : { before: offset, after: offset, atMs: 0 },
    ...drawTraits(draw, areDependable && offset === 0 ? futurePercent : 0),
    emptyPercent: kind === 'a page number' ? 0 : draw('emptyPages'),
    rows: size('alarmRows'),
    // the period in which the first rows arrived, up to the start
    spanMs,
    spread: draw('spread'),
    // the server knows times more precisely than it shows them
    knowsFiner: draw('hiddenDigits'),
    createdField: draw('createdName'),
    // each time is a multiple of one of these; some servers shorten whole seconds and minutes
    stepsMs: STEPS_MS[draw('wholeTimes')],
    // between creation and arrival
    maxLateMs: draw('lateness'),
    bound: draw('bound'),
    // the status of a first request if no row was created since; null for an empty page
    noRowsStatus,
    maxPerPage: size('alarmPage'),
    shortPercent: isPlace ? draw('shortAlarmPages') : 0,
    lastCursor: draw('lastCursor'),
    cursors: { kind, ...drawExpiry(draw, latencyMs) },
    // requests before which rows arrive, and how many at once
    inserts: { percent: draw('alarmInserts'), max: between(1, 3) },
    // requests before which a row is deleted; positions then skip rows, which no reader can know, and reads begin at the newest row
    deletePercent: isPlace && noRowsStatus === null ? draw('alarmDeletes') : 0,
    maxRows: 90,
  };
}

/** Percentages of rows that arrive late, are in the future, have no time, have the time of the previous row, or equal it. */
function drawTraits(draw: Draw['draw'], futurePercent: number) {
  return {
    latePercent: draw('lateRows'),
    // the clock of times without a zone is known only from the newest row, which must not be in the future
    futurePercent,
    timelessPercent: draw('timelessRows'),
    tiePercent: draw('ties'),
    identicalPercent: draw('identicalRows'),
    isTextStable: !draw('alarmText'),
  };
}

function drawExpiry(draw: Draw['draw'], latencyMs: number) {
  return {
    // a list whose cursors expire before they can be used cannot be read
    lifeMs: Math.max(draw('cursorLife'), 20 * latencyMs),
    dieBetweenReads: draw('cursorScope'),
    // the response to an expired cursor: a status or a page
    expired: draw('expiredCursor'),
  };
}

/** How the list of assets behaves. */
export function drawAssets({ draw, size, between, chance }: Draw) {
  const maxPerPage = size('assetPage');
  const changeOf = (percent: number, max: number) => ({ percent, max: chance(60) ? 1 : between(1, max) });
  const plan = {
    maxPerPage,
    // requests before which rows are inserted at the head, or deleted anywhere, and how many at most
    inserts: changeOf(draw('assetInserts'), maxPerPage + 2),
    deletes: changeOf(draw('assetDeletes'), 3),
    // the types of `assetId`; mixed: strings and numbers of the same digits, and rows without one; shared: one for several rows
    ids: draw('assetKeys'),
    // a row's text changes each time that it is shown
    isVolatile: draw('assetText'),
    totals: draw('totals'),
    rows: size('assetRows') ?? maxPerPage,
    // a larger limit is refused with a 400 instead of being reduced
    refusesMore: draw('largePage'),
    // pages that are cut short, to at least two rows
    shortPercent: draw('shortAssetPages'),
    offsetEcho: draw('offsetEcho'),
    pastEnd: draw('pastEnd'),
    // which offsets are taken
    offsets: draw('assetOffsets'),
    // no page goes beyond this offset, although the list is longer; null: no limit
    depth: size('depth'),
  };
  const { inserts, shortPercent, totals } = plan;
  // a list into which one row is inserted before every request changes throughout a read; with short pages and without a total
  // its end may be impossible to prove
  const neverRests = inserts.percent === 100 && inserts.max === 1 && maxPerPage > 2;
  const canBeProven = shortPercent === 0 || totals === 'right';
  return { ...plan, maxRows: neverRests && canBeProven ? 200 : 90 };
}
