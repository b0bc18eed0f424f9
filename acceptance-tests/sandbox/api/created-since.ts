import { granule, nanosOf, parseInstant, type Instant } from '../data/instant.ts';
import type { Knobs } from '../knobs/knobs.ts';
import { Refusal } from './refusal.ts';

/** Reads `createdSince`, whose format docs/api.md leaves open. Throws a {@link Refusal} if it is no date-time. */
export function readCreatedSince(text: string | undefined, knobs: Knobs): Instant | undefined {
  if (text === undefined) return undefined;
  const instant = parseInstant(text, knobs.createdSinceStrict ? knobs.createdFormat : undefined);
  if (instant !== undefined) return instant;
  const expected = knobs.createdSinceStrict ? ` in the format ${knobs.createdFormat}` : '';
  throw new Refusal('badRequest', `createdSince: a date-time${expected} is expected, not "${text}"`);
}

/**
 * The lowest created time, in microseconds, of a row that a bound lets pass. What is compared is the created date as it
 * is shown: a server that shows seconds treats all rows of one second alike.
 */
export function lowestCreated(since: Instant | undefined, knobs: Knobs): number {
  if (since === undefined) return Number.NEGATIVE_INFINITY;
  const bound = truncated(since, knobs.alarmsBoundPrecision);
  const step = granule[knobs.createdFormat];
  const shown = Math.floor(bound.micros / step) * step;
  const shownNanos = knobs.createdFormat === 'nanoseconds' ? nanosOf(shown) : 0;
  const difference = shown - bound.micros || shownNanos - bound.nanos;
  const passes = difference > 0 || (difference === 0 && knobs.alarmsBound === 'inclusive');
  return passes ? shown : shown + step;
}

function truncated(since: Instant, precision: Knobs['alarmsBoundPrecision']): Instant {
  if (precision === 'exact') return since;
  const step = precision === 'second' ? 1_000_000 : 60_000_000;
  return { micros: Math.floor(since.micros / step) * step, nanos: 0 };
}
