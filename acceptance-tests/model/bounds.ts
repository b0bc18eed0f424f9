import type { ParameterValue } from './parameters.ts';
import { UNITS, floorTo } from './time-forms.ts';

/** How a server compares created times with the bound of a request. Times are in ns since the epoch. */
export interface BoundRule {
  /** ns: the bound is rounded to a multiple of it, down, to the nearest, or to the next later one. */
  readonly unit: bigint;
  readonly rounds: 'down' | 'to the nearest' | 'to the next';
  /** Whether a row of exactly that time is left out. */
  readonly isExclusive: boolean;
}

const exact = { unit: 1n, rounds: 'down', isExclusive: false } as const;

export const BOUNDS = {
  inclusive: exact,
  exclusive: { ...exact, isExclusive: true },
  'cut to the second': { ...exact, unit: UNITS.second },
  'cut to the minute': { ...exact, unit: UNITS.minute },
  'rounded to the minute': { ...exact, unit: UNITS.minute, rounds: 'to the nearest' },
  'later minutes': { ...exact, unit: UNITS.minute, rounds: 'to the next' },
} as const satisfies Readonly<Record<ParameterValue<'bound'>, BoundRule>>;

/** Returns whether a time is within a bound. */
export function withinBound(
  since: bigint,
  { unit, rounds, isExclusive }: BoundRule,
): (time: bigint) => boolean {
  const whole = floorTo(rounds === 'to the nearest' ? since + unit / 2n : since, unit);
  const lowest = rounds === 'to the next' ? whole + unit : whole;
  return (time) => (isExclusive ? time > lowest : time >= lowest);
}
