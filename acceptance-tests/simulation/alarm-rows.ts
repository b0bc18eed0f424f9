import { mix } from '../sandbox/data/random.ts';
import type { Choices } from './choices.ts';
import type { DimensionName } from './answers.ts';
import type { AlarmsPlan } from './scenario-lists.ts';
import { extraMembers } from './simulated-list.ts';
import { UNITS } from './time-forms.ts';
import type { TimeForm } from './time-forms.ts';

export interface AlarmRow {
  readonly number: number;
  /** The number of the first row with the same text. */
  readonly twin: number;
  /** ns since the epoch, as the server knows it. */
  readonly created: bigint;
  readonly lateMs: number;
  /** False where its text shows no time. */
  readonly isTimed: boolean;
  /** True where it stands last, out of the order of the list. */
  readonly isAstray: boolean;
  /** Its text; `version` counts the changes of a text that changes. */
  readonly text: (version: number) => string;
  readonly isTextStable: boolean;
  readonly hash: number;
  /** The answers that make it what it is. */
  readonly due: readonly DimensionName[];
  /** The moments from which on and until which it is in the list. */
  readonly from: number;
  until: number;
}

/** The row that comes in at a time, after those that are there. */
export function newRow(
  rows: readonly AlarmRow[],
  arrivedMs: number,
  plan: AlarmsPlan,
  form: TimeForm,
  choices: Choices,
): Omit<AlarmRow, 'from' | 'until'> {
  const { below, chance, pick } = choices;
  const number = rows.length;
  const before = rows.at(-1);
  const isLate = chance(plan.latePercent);
  const isFuture = chance(plan.futurePercent);
  const isTied = chance(plan.tiePercent);
  const isTwin = before !== undefined && chance(plan.identicalPercent);
  const lateMs = isLate ? below(plan.maxLateMs + 1) : 0;
  const stepMs = pick(plan.stepsMs);
  const ms = Math.floor((arrivedMs - (isFuture ? -below(3_600_000) : lateMs)) / stepMs) * stepMs;
  const exact = BigInt(ms) * UNITS.ms + (plan.form === 'Z, ns' ? BigInt(below(1000)) : 0n);
  const shared = isTied || isTwin ? (before?.created ?? exact) : exact;
  const arrived = BigInt(arrivedMs) * UNITS.ms;
  // what shares the time of a row that came in earlier is late itself
  const isShared = shared !== exact && arrived - shared <= BigInt(plan.maxLateMs) * UNITS.ms;
  const wanted = isShared ? shared : exact;
  const created = plan.knowsFiner ? wanted : wanted - (wanted % form.granule);
  const hash = mix(number, 77);
  const common = { number, created, hash, lateMs: Number((arrived - wanted) / UNITS.ms) };
  const isTimed = !chance(plan.timelessPercent);
  if (isTwin && isShared)
    return { ...before, ...common, due: [...before.due, 'identicalRows'], twin: before.twin };
  const isAstray =
    (plan.order === 'old rows last' && number < plan.rows / 6) ||
    (plan.order === 'rows without a time last' && !isTimed);
  const isTextStable = plan.isTextStable || number % 3 > 0;
  const time = `"${plan.createdField}":${isTimed ? form.write(created, number) : 'null'}`;
  const received = `"receivedAt":${form.write(arrived, number)}`;
  const alarm = `"alarm":${number},${received}${extraMembers(number)}`;
  const text = (version: number): string => {
    const state = isTextStable ? '' : `,"state":${version}`;
    return number % 2 === 0 ? `{${time},${alarm}${state}}` : `{${alarm}${state},${time}}`;
  };
  const reasons: readonly (readonly [DimensionName, boolean])[] = [
    ['timeForm', isTimed],
    ['zone', isTimed && !form.isUtc],
    ['lateRows', isLate],
    ['lateness', lateMs > 0],
    ['futureRows', isFuture],
    ['timelessRows', !isTimed],
    ['ties', isTied && isShared],
    ['wholeTimes', stepMs > 1],
    ['hiddenDigits', created % form.granule !== 0n],
    ['createdName', isTimed],
    ['alarmText', !isTextStable],
    ['order', isAstray],
  ];
  const due = reasons.flatMap(([name, isDue]) => (isDue ? [name] : []));
  return { ...common, twin: number, isTimed, isAstray, isTextStable, text, due };
}
