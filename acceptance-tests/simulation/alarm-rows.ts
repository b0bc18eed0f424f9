import type { Lifetime } from '../model/changing-rows.ts';
import { mix } from '../sandbox/data/random.ts';
import type { DimensionName } from './answers.ts';
import type { Choices } from './choices.ts';
import type { AlarmsPlan } from './scenario-lists.ts';
import { extraMembers } from './simulated-list.ts';
import { UNITS, type TimeForm } from '../model/time-forms.ts';

export interface AlarmRow extends Lifetime {
  readonly number: number;
  /** The number of the first row with the same text. */
  readonly twin: number;
  /** ns since the epoch, as precise as the server knows it. */
  readonly created: bigint;
  /** ns since the epoch: its other time, when it arrived. */
  readonly received: bigint;
  readonly lateMs: number;
  /** Whether its text contains a created time. */
  readonly isTimed: boolean;
  /** Whether it is at the end of the list, out of order. */
  readonly isOutOfOrder: boolean;
  /** `version` counts the changes of a text that changes. */
  readonly text: (version: number) => string;
  readonly isTextStable: boolean;
  readonly hash: number;
  /** The dimensions whose answers show in it. */
  readonly dimensions: readonly DimensionName[];
}

/** The row that arrives after `rows`. */
export function newRow(
  rows: readonly AlarmRow[],
  arrivedMs: number,
  plan: AlarmsPlan,
  form: TimeForm,
  choices: Choices,
): Omit<AlarmRow, keyof Lifetime> {
  const number = rows.length;
  const before = rows.at(-1);
  const { isTwin, traits, ...times } = drawTime(before, arrivedMs, plan, form, choices);
  const hash = mix(number, 77);
  const isTimed = !choices.chance(plan.timelessPercent);
  if (isTwin && before !== undefined)
    return {
      ...before,
      ...times,
      received: before.received,
      number,
      hash,
      dimensions: [...before.dimensions, 'identicalRows'],
    };
  const isOutOfOrder =
    (plan.order === 'old rows last' && number < plan.rows / 6) ||
    (plan.order.startsWith('rows without a time') && !isTimed);
  const isTextStable = plan.isTextStable || number % 3 > 0;
  const time = `"${plan.createdField}":${isTimed ? form.write(times.created, number) : 'null'}`;
  const received = `"receivedAt":${form.write(times.received, number)}`;
  const alarm = `"alarm":${number},${received}${extraMembers(number)}`;
  const text = (version: number): string => {
    const state = isTextStable ? '' : `,"state":${version}`;
    return number % 2 === 0 ? `{${time},${alarm}${state}}` : `{${alarm}${state},${time}}`;
  };
  const found: Partial<Record<DimensionName, boolean>> = {
    ...traits,
    timeFormat: isTimed,
    zone: isTimed && !form.isUtc,
    timelessRows: !isTimed,
    createdName: isTimed,
    alarmText: !isTextStable,
    order: isOutOfOrder,
  };
  const dimensions = (Object.keys(found) as DimensionName[]).filter((name) => found[name]);
  return { number, ...times, hash, twin: number, isTimed, isOutOfOrder, isTextStable, text, dimensions };
}

/** The created time of a row that arrives after another one, and whether it is equal to that one. */
function drawTime(
  before: AlarmRow | undefined,
  arrivedMs: number,
  plan: AlarmsPlan,
  form: TimeForm,
  { below, chance, pick }: Choices,
) {
  const isLate = chance(plan.latePercent);
  const isFuture = chance(plan.futurePercent);
  const isTied = chance(plan.tiePercent);
  const isTwin = before !== undefined && chance(plan.identicalPercent);
  const lateMs = isLate ? below(plan.maxLateMs + 1) : 0;
  const stepMs = pick(plan.stepsMs);
  const ms = Math.floor((arrivedMs + (isFuture ? below(3_600_000) : -lateMs)) / stepMs) * stepMs;
  const maxNs = plan.form === 'Z, ns' ? 999 : 0;
  const exact = BigInt(ms) * UNITS.ms + (maxNs > 0 ? BigInt(below(maxNs + 1)) : 0n);
  const arrived = BigInt(arrivedMs) * UNITS.ms;
  const shared = isTied || isTwin ? (before?.created ?? exact) : exact;
  // a row with the time of an earlier row is itself late
  const isShared = shared !== exact && arrived - shared <= BigInt(plan.maxLateMs) * UNITS.ms;
  const time = isShared ? shared : exact;
  const created = plan.knowsFiner ? time : time - (time % form.granule);
  const traits = {
    lateRows: isLate,
    lateness: lateMs > 0,
    futureRows: isFuture,
    ties: isTied && isShared,
    wholeTimes: stepMs > 1,
    hiddenDigits: created % form.granule !== 0n,
  };
  // rows of the same ms arrive in any order, so all but the latest are late
  const lateNs = Number(arrived - time) + maxNs;
  return {
    created,
    received: arrived,
    lateMs: lateNs / Number(UNITS.ms),
    isTwin: isTwin && isShared,
    traits,
  };
}
