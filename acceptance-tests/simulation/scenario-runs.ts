import type { Random } from '../sandbox/data/random.ts';
import type { AlarmsPlan } from './scenario-alarms.ts';
import { between, chance, weighted } from './choice.ts';
import type { Choose } from './features.ts';
import type { StreamName } from './input-texts.ts';
import type { SinkEnd, SinkPlan } from './sink.ts';
import { timeForm } from './time-forms.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface Around {
  readonly startMs: number;
  readonly streams: readonly StreamName[];
  readonly alarms: AlarmsPlan;
}

/** One read: what goes before it, its options and its config, and how it ends. */
export type RunPlan = ReturnType<typeof disturbedRun>;

/** Draws the reads: some that are disturbed, one that nothing disturbs, one right behind it, and one from an earlier state. */
export function drawRuns(random: Random, choose: Choose, around: Around): readonly RunPlan[] {
  const runs: RunPlan[] = [];
  let alarms = firstConfig(random, choose, around);
  const disturbed = between(random, 1, 4);
  for (let index = 0; index < disturbed; index++) {
    runs.push(disturbedRun(random, choose, around, alarms));
    alarms = nextConfig(alarms, around.alarms.createdField, random, choose, around);
  }
  const calm: RunPlan = {
    ...disturbedRun(random, choose, around, { ...alarms, createdField: around.alarms.createdField }),
    alarmsMode: 'incremental',
    limitRows: null,
    stopAfterMs: null,
    outage: null,
    sink: { delayMs: 0, stall: null, end: { kind: 'open' } },
    isCalm: true,
  };
  const isEarlier = choose('earlier states', true, false);
  // from that key alone nobody knows what an earlier start date left out
  const hasDates = [...runs, calm].some(({ alarms: { startDate, endDate } }) => startDate ?? endDate);
  const isKeyAlone = chance(random, 40) && isEarlier && !hasDates;
  return [
    ...runs,
    calm,
    { ...calm, handover: 'last', gapMs: 0, changes: 0 },
    { ...calm, handover: isEarlier ? 'earlier' : 'last', gapMs: 1000, changes: 0, isKeyAlone },
  ];
}

function disturbedRun(random: Random, choose: Choose, around: Around, alarms: AlarmsConfig) {
  const page = Math.min(alarms.pageSize ?? 99, around.alarms.mostPerPage);
  const limit = chance(random, 14)
    ? Math.max(1, page * between(random, 1, 6) + between(random, -1, 1))
    : null;
  // all saved output so far, the last state of each stream, or any state that was ever written
  const handover = weighted(random, [30, 'joined'], [45, 'last'], [25, 'earlier']);
  const isFull = chance(random, 5);
  const stop = chance(random, 7) ? random.below(60_000) : null;
  const outage = chance(random, 8)
    ? { after: random.below(15), of: random.pick(['each', 'assets', 'alarms'] as const) }
    : null;
  return {
    // since the end of the read before, and how often the lists change meanwhile
    gapMs: weighted(
      random,
      [30, 0],
      [30, random.below(60_000)],
      [20, random.below(2 * HOUR_MS)],
      [20, random.below(72 * HOUR_MS)],
    ),
    changes: chance(random, 50) ? 0 : between(random, 1, 6),
    handover: choose('earlier states', handover, handover === 'earlier' ? 'last' : handover),
    streams: around.streams,
    alarmsMode: choose('full refresh', isFull ? 'full_refresh' : 'incremental', 'incremental'),
    hasCatalog: chance(random, 50) || isFull,
    assetsPageSize: chance(random, 8) ? 2 : between(random, 3, 10),
    concurrency: random.pick([1, 2, 4, 8]),
    alarms,
    stateEveryMs: weighted(random, [45, 0], [15, 1000], [25, 5000], [15, 15_000]),
    limitRows: choose('limits', limit, null),
    sink: drawSink(random, choose),
    // after which it is told to stop
    stopAfterMs: choose('stops', stop, null),
    // requests to a list after which it is out of order, one of them or each
    outage: choose('outages', outage, null),
    // nothing changes, fails or dies
    isCalm: false,
    // of the state of alarms only its created_since is handed over
    isKeyAlone: false,
  };
}

function drawSink(random: Random, choose: Choose): SinkPlan {
  const delayMs = chance(random, 30) ? weighted(random, [40, 10], [40, 2000], [20, 20_000]) : 0;
  const stall = chance(random, 12)
    ? { write: between(random, 1, 20), ms: random.pick([30_000, 10 * MINUTE_MS, 90 * MINUTE_MS]) }
    : null;
  const bytes = random.below(chance(random, 50) ? 2500 : 12_000);
  const atState = { state: between(random, 1, 8), bytes: random.pick([-1, 0, 1, 40, 300]) };
  const end = weighted<SinkEnd>(
    random,
    [60, { kind: 'open' }],
    [18, { kind: 'kill', bytes }],
    [18, { kind: 'kill at state', ...atState }],
    [4, { kind: 'gone', bytes }],
  );
  return {
    delayMs: choose('slow reader', delayMs, 0),
    stall: choose('slow reader', stall, null),
    end: choose('kills', end, { kind: 'open' }),
  };
}

function firstConfig(random: Random, choose: Choose, around: Around) {
  const { createdField, mostLateMs, stepsMs, form } = around.alarms;
  const granuleMs = Number(timeForm(form, 0).granule / 1_000_000n);
  const named = choose('wrong created field', chance(random, 6) ? 'nope' : createdField, createdField);
  // a time that is cut down is late by what was cut off
  const lateMs = mostLateMs + Math.max(...stepsMs) + granuleMs;
  const lookbackSeconds = Math.ceil(lateMs / 1000) + (chance(random, 50) ? 0 : random.below(120));
  const first = { startDate: null, endDate: null, lookbackSeconds };
  return nextConfig(first, named, random, choose, around);
}

type AlarmsConfig = ReturnType<typeof nextConfig>;

/** The config of alarms a little later: a person has changed this and that. */
function nextConfig(
  before: { startDate: string | null; endDate: string | null; lookbackSeconds: number },
  createdField: string,
  random: Random,
  choose: Choose,
  around: Around,
) {
  const { form, localOffset } = around.alarms;
  const hasDates = choose('dates', true, false) && timeForm(form, localOffset).localOffset === 0;
  const start = nextStart(before.startDate, random, around);
  const end = chance(random, 20) ? drawDate(random, around) : chance(random, 40) ? null : before.endDate;
  const isInOrder = start === null || end === null || Date.parse(start) <= Date.parse(end);
  const lookback = before.lookbackSeconds + (chance(random, 15) ? random.below(600) : 0);
  return {
    startDate: hasDates ? start : null,
    endDate: hasDates && isInOrder ? end : null,
    createdField,
    pageSize: chance(random, 50) ? null : between(random, 1, 10),
    lookbackSeconds: choose('lookback changes', lookback, before.lookbackSeconds),
    chains: choose('several chains', weighted(random, [50, 1], [20, 2], [15, 3], [15, 8]), 1),
  };
}

/** The start date: as it was, an earlier one, another one, or none. */
function nextStart(before: string | null, random: Random, around: Around): string | null {
  const drawn = drawDate(random, around);
  const earlier =
    before === null
      ? drawn
      : new Date(Date.parse(before) - random.below(around.alarms.spanMs >> 1)).toISOString();
  return weighted(random, [50, before], [30, earlier], [20, drawn]);
}

/** A time among those of the rows, or none. */
function drawDate(random: Random, { startMs, alarms }: Around): string | null {
  const ms = startMs - random.below(alarms.spanMs) + (chance(random, 15) ? random.below(alarms.spanMs) : 0);
  const text = new Date(ms).toISOString();
  const written = chance(random, 50) ? text : text.replace(/\.\d+Z$/, 'Z');
  return chance(random, 70) ? written : null;
}
