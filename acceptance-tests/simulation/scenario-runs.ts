import type { Choices } from './choices.ts';
import type { AlarmsPlan } from './scenario-lists.ts';
import { timeForm } from './time-forms.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface Draw extends Choices {
  readonly startMs: number;
  readonly alarms: AlarmsPlan;
}

/** One read: what goes before it, its options and its config, and how it ends. */
export type RunPlan = ReturnType<typeof drawRun>;
export type SinkPlan = ReturnType<typeof drawSink>;

/** Some reads that are disturbed, one that nothing disturbs, one right behind it, and one from an earlier state. */
export function drawRuns(draw: Draw): readonly RunPlan[] {
  const { createdField } = draw.alarms;
  const runs: RunPlan[] = [];
  let config = firstConfig(draw);
  for (let left = draw.between(1, 4); left > 0; left--) {
    runs.push(drawRun(draw, config));
    config = nextConfig(draw, config, createdField);
  }
  const calm: RunPlan = {
    ...drawRun(draw, { ...config, created_field: createdField }),
    isFull: false,
    limitRows: null,
    stopAfterMs: null,
    outage: null,
    sink: { delayMs: 0, stall: null, end: null },
    isCalm: true,
  };
  // from that key alone nobody knows what an earlier start date left out
  const hasDates = [...runs, calm].some(({ alarms }) => alarms.start_date ?? alarms.end_date);
  const isKeyAlone = draw.chance(40) && !hasDates;
  return [
    ...runs,
    calm,
    { ...calm, handover: 'last', gapMs: 0, changes: 0 },
    { ...calm, handover: 'earlier', gapMs: 1000, changes: 0, isKeyAlone },
  ];
}

function drawRun(draw: Draw, alarms: AlarmsConfig) {
  const { below, between, chance, pick, weighted } = draw;
  const page = Math.min(alarms.page_size ?? 99, draw.alarms.mostPerPage);
  const limitRows = chance(14) ? Math.max(1, page * between(1, 6) + between(-1, 1)) : null;
  // all saved output so far, the last state of each stream, or any state that was ever written
  const handover = weighted([30, 'joined'], [45, 'last'], [25, 'earlier']);
  const isFull = chance(5);
  return {
    alarms,
    limitRows,
    handover,
    // full refresh of alarms
    isFull,
    // after which it is told to stop
    stopAfterMs: chance(7) ? below(60_000) : null,
    // requests to a list after which it is out of order, one of them or each
    outage: chance(8) ? { after: below(15), of: pick(['each', 'assets', 'alarms'] as const) } : null,
    // since the end of the read before, and how often the lists change meanwhile
    gapMs: weighted([30, 0], [30, below(60_000)], [20, below(2 * HOUR_MS)], [20, below(72 * HOUR_MS)]),
    changes: chance(50) ? 0 : between(1, 6),
    hasCatalog: chance(50) || isFull,
    assetsPageSize: chance(8) ? 2 : between(3, 10),
    concurrency: pick([1, 2, 4, 8]),
    stateEveryMs: weighted([45, 0], [15, 1000], [25, 5000], [15, 15_000]),
    sink: drawSink(draw),
    // nothing changes, fails or dies
    isCalm: false,
    // of the state of alarms only its created_since is handed over
    isKeyAlone: false,
  };
}

/** Who reads stdout, and how it ends. */
function drawSink({ below, between, chance, pick, weighted }: Choices) {
  // ms that each write takes, and one of them
  const delayMs = chance(30) ? weighted([40, 10], [40, 2000], [20, 20_000]) : 0;
  const stallMs = [30_000, 10 * MINUTE_MS, 90 * MINUTE_MS];
  const stall = chance(12) ? { write: between(1, 20), ms: pick(stallMs) } : null;
  const bytes = below(chance(50) ? 2500 : 12_000);
  const behindState = { state: between(1, 8), bytes: pick([-1, 0, 1, 40, 300]) };
  const end = weighted(
    [60, null],
    // the process is killed after so many bytes, or so many behind the so-many-th STATE line, before its end if negative
    [18, { isKill: true, state: null, bytes }],
    [18, { isKill: true, ...behindState }],
    // the reader goes away
    [4, { isKill: false, state: null, bytes }],
  );
  return { delayMs, stall, end };
}

function firstConfig(draw: Draw) {
  const { chance, below } = draw;
  const { createdField, mostLateMs, stepsMs, form } = draw.alarms;
  const named = chance(6) ? 'nope' : createdField;
  // a time that is cut down is late by what was cut off
  const lateMs = mostLateMs + Math.max(...stepsMs) + Number(timeForm(form, 0).granule / 1_000_000n);
  const lookback_seconds = Math.ceil(lateMs / 1000) + (chance(50) ? 0 : below(120));
  return nextConfig(draw, { start_date: undefined, end_date: undefined, lookback_seconds }, named);
}

type AlarmsConfig = ReturnType<typeof nextConfig>;

/** The config of alarms a little later: a person has changed this and that. */
function nextConfig(
  draw: Draw,
  before: { start_date: string | undefined; end_date: string | undefined; lookback_seconds: number },
  created_field: string,
) {
  const { below, between, chance, weighted } = draw;
  const { form, localOffset } = draw.alarms;
  const hasDates = timeForm(form, localOffset).localOffset === 0;
  const start = nextStart(draw, before.start_date);
  const end = chance(20) ? drawDate(draw) : chance(40) ? undefined : before.end_date;
  const isInOrder = start === undefined || end === undefined || Date.parse(start) <= Date.parse(end);
  return {
    start_date: hasDates ? start : undefined,
    end_date: hasDates && isInOrder ? end : undefined,
    created_field,
    lookback_seconds: before.lookback_seconds + (chance(15) ? below(600) : 0),
    page_size: chance(50) ? undefined : between(1, 10),
    parallel_chains: weighted([50, 1], [20, 2], [15, 3], [15, 8]),
  };
}

/** The start date: as it was, an earlier one, another one, or none. */
function nextStart(draw: Draw, before: string | undefined) {
  const drawn = drawDate(draw);
  const earlier = before && new Date(Date.parse(before) - draw.below(draw.alarms.spanMs >> 1)).toISOString();
  return draw.weighted([50, before], [30, earlier ?? drawn], [20, drawn]);
}

/** A time among those of the rows, or none. */
function drawDate({ below, chance, startMs, alarms: { spanMs } }: Draw): string | undefined {
  const ms = startMs - below(spanMs) + (chance(15) ? below(spanMs) : 0);
  const text = new Date(ms).toISOString();
  const written = chance(50) ? text : text.replace(/\.\d+Z$/, 'Z');
  return chance(70) ? written : undefined;
}
