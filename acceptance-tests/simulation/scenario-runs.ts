import type { Draw } from './choices.ts';
import type { AlarmsPlan } from './scenario-lists.ts';
import { UNITS, timeForm } from '../model/time-forms.ts';

/** One read: what happens before it, its options and config, and how it ends. */
export type RunPlan = ReturnType<typeof drawRun>;
export type SinkPlan = ReturnType<typeof drawSink>;

interface Times {
  readonly startMs: number;
  readonly aheadMs: number;
  readonly alarms: AlarmsPlan;
}

/** Some disturbed reads, an undisturbed one, one right after it, and one from an earlier state. */
export function drawRuns(
  draws: Draw,
  { startMs, aheadMs }: Omit<Times, 'alarms'>,
  alarms: AlarmsPlan,
): readonly RunPlan[] {
  const times = { startMs, aheadMs, alarms };
  const runs: RunPlan[] = [];
  let config = firstConfig(draws, times);
  const wantsKeyAlone = draws.draw('keyAlone');
  for (let left = draws.draw('reads'); left > 0; left--) {
    runs.push(drawRun(draws, times, config));
    config = nextConfig(draws, times, config);
  }
  const calm: RunPlan = {
    ...drawRun(draws, times, { ...config, created_field: alarms.createdField }),
    isFull: false,
    limitRows: null,
    stopAfterMs: null,
    outage: null,
    hiccup: null,
    clockChange: null,
    sink: { delayMs: 0, stall: null, end: null },
    isCalm: true,
  };
  // that key alone does not show what an earlier start date left out
  const hasDates = [...runs, calm].some((run) => run.alarms.start_date ?? run.alarms.end_date);
  const isKeyAlone = wantsKeyAlone && !hasDates;
  return [
    ...runs,
    calm,
    { ...calm, handover: 'last', gapMs: 0, changes: 0 },
    { ...calm, handover: 'earlier', gapMs: 1000, changes: 0, isKeyAlone },
  ];
}

function drawRun(draws: Draw, times: Times, alarms: AlarmsConfig) {
  const { below, between, draw, size } = draws;
  const page = Math.min(alarms.page_size ?? 99, times.alarms.maxPerPage);
  const hiccup = draw('hiccup');
  const outage = draw('outage');
  const clockMs = size('clockChange');
  const isFull = draw('syncMode');
  return {
    alarms,
    limitRows: draw('rowLimit') ? Math.max(1, page * between(1, 6) + between(-1, 1)) : null,
    handover: draw('handover'),
    // of alarms
    isFull,
    // until SIGTERM
    stopAfterMs: size('stop'),
    // requests to the lists after which one of them, or each, is unavailable
    outage: outage === 'none' ? null : { after: below(15), of: outage },
    // pages of a list after which it responds with a status for a few seconds
    hiccup: hiccup === null ? null : { after: between(1, 6), status: hiccup, ms: between(500, 4000) },
    // when the local clock is set, and by how much
    clockChange: clockMs === 0 ? null : { afterMs: below(3) * below(20_000), byMs: clockMs },
    // since the end of the previous read, and how often the lists change in between
    gapMs: size('gap'),
    changes: size('changes'),
    hasCatalog: draw('catalog') || isFull,
    assetsPageSize: size('assetPageSize'),
    missingRows: draw('missingRows'),
    minRows: draw('minRows'),
    concurrency: draw('concurrency'),
    stateEveryMs: draw('stateEvery'),
    sink: drawSink(draws),
    // nothing changes, fails or expires
    isCalm: false,
    // of the state of alarms, only `created_since` is handed over
    isKeyAlone: false,
    drawn: { ...draws.drawn },
  };
}

/** How stdout is read, and how that ends. */
function drawSink({ below, between, chance, draw, pick }: Draw) {
  // of each write, and of one of them
  const delayMs = draw('writeDelay');
  const stallMs = draw('writeStall');
  const stall = stallMs === null ? null : { write: between(1, 20), ms: stallMs };
  const bytes = below(chance(50) ? 2500 : 12_000);
  const nearState = { state: between(1, 8), bytes: pick([-1, 0, 1, 40, 300]) };
  const ends = {
    none: null,
    // killed after so many bytes, or so many after the end of a STATE line (before it if negative)
    'killed after some bytes': { isKill: true, state: null, bytes },
    'killed near a state': { isKill: true, ...nearState },
    'stdout is closed': { isKill: false, state: null, bytes },
  };
  return { delayMs, stall, end: ends[draw('ending')] };
}

type AlarmsConfig = ReturnType<typeof nextConfig>;

/** The config of alarms for the first read; its lookback covers how late rows appear, and how far the clock is ahead. */
function firstConfig(draws: Draw, times: Times): AlarmsConfig {
  const { chance, below } = draws;
  const { maxLateMs, stepsMs, form, zone } = times.alarms;
  // a truncated time is late by what was cut off; for dates, the reader allows for that
  const { granule } = timeForm(form, zone);
  const lateMs = maxLateMs + Math.max(...stepsMs) + Number(granule < UNITS.day ? granule / UNITS.ms : 0n);
  const lookback_seconds = Math.ceil((lateMs + times.aheadMs) / 1000) + (chance(50) ? 0 : below(120));
  return nextConfig(draws, times, { start_date: undefined, end_date: undefined, lookback_seconds });
}

/** The config of alarms for the next read, in which a person has changed some keys. */
function nextConfig(
  draws: Draw,
  times: Times,
  before: { start_date?: string | undefined; end_date?: string | undefined; lookback_seconds: number },
) {
  const { draw, size } = draws;
  const { form, zone, createdField, identicalPercent } = times.alarms;
  const hasDates = timeForm(form, zone).isUtc;
  const start = nextStart(draws, times, before.start_date);
  const ends = { unchanged: before.end_date, none: undefined, other: drawDate(draws, times) };
  const end = ends[draw('endDate')];
  const isInOrder = start === undefined || end === undefined || Date.parse(start) <= Date.parse(end);
  return {
    start_date: hasDates ? start : undefined,
    end_date: hasDates && isInOrder ? end : undefined,
    created_field: draw('createdField') ?? createdField,
    // equal rows have no unique id
    id_field: identicalPercent === 0 ? (draw('idField') ?? undefined) : undefined,
    lookback_seconds: Math.max(0, before.lookback_seconds + size('lookback')),
    page_size: size('alarmPageSize') ?? undefined,
    parallel_chains: draw('chains') as number,
  };
}

function nextStart(draws: Draw, times: Times, before: string | undefined) {
  const drawn = drawDate(draws, times);
  const earlier =
    before && new Date(Date.parse(before) - draws.below(times.alarms.spanMs >> 1)).toISOString();
  return { unchanged: before, earlier: earlier ?? drawn, other: drawn }[draws.draw('startDate')];
}

/** A time among those of the rows, or none. */
function drawDate({ below, chance }: Draw, { startMs, alarms: { spanMs } }: Times): string | undefined {
  const ms = startMs - below(spanMs) + (chance(15) ? below(spanMs) : 0);
  const text = new Date(ms).toISOString();
  const written = chance(50) ? text : text.replace(/\.\d+Z$/, 'Z');
  return chance(70) ? written : undefined;
}
