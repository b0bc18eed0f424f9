import { beginsSlice, type Sliced } from '../../rows/slices.ts';
import { MIN_INSTANT, later, type Instant } from '../instant.ts';
import { NO_COUNTS, type Counts } from './counts.ts';
import type { Chain } from './progress.ts';
import { isIn, type Bounds } from './ranges.ts';
import type { Created } from './seen-log.ts';
import type { Age } from './fresh-rows.ts';
import { meetRow, takeRow, type SeenRows } from './seen-rows.ts';

/** Where the rows of a page may belong. */
export interface Places {
  readonly open: readonly Bounds[]; // all ranges that are still to be read, that of the chain included
  readonly coveredFrom: Instant; // earlier rows are before the start date
  readonly earliest: Instant; // no row requested by the chain is older
  readonly end: Instant; // later ones are after the end date
}

export interface Taken<R> {
  readonly rows: readonly R[]; // to emit
  readonly counts: Counts;
  readonly hasBegun: boolean; // the chain has returned a row of its range, or one that was emitted before
  readonly newest: Instant; // the latest created time of the rows that are or were emitted; `MIN_INSTANT` if there is none
}

/**
 * Chooses which rows of a page to emit: those in the range of the chain, those without a time, and those older than the range that no
 * other range will return, unless they were emitted before. The first rows of a chain are not emitted if they are older than its range: a
 * server may round the requested bound down. `passed` is the newest created time of the chain on earlier pages.
 */
export function* takeRows<R>(
  { range, number, isFirst, hasBegun: hadBegun }: Chain,
  { rows, times }: { readonly rows: readonly R[]; readonly times: readonly (Instant | undefined)[] },
  passed: Instant,
  seen: SeenRows<R>,
  places: Places,
): Sliced<Taken<R>> {
  const counts = { ...NO_COUNTS };
  const taken: R[] = [];
  let hasBegun = hadBegun;
  let latest = passed;
  let newest = MIN_INSTANT;
  for (let at = 0; at < rows.length; at++) {
    if (beginsSlice(at)) yield;
    const row = rows[at] as R;
    const created = times[at];
    const place = placeOf(created, range, places);
    const age = isFirst && place === 'own' ? ageOf(created, latest, passed) : 'older';
    if (created !== undefined) latest = later(latest, created);
    if (place === 'elsewhere') continue;
    if (place === 'after end') {
      counts.afterEnd++;
      continue;
    }
    const isOlder = place === 'older' || place === 'before start';
    const isLeft = place === 'before start' || (place === 'older' && !hasBegun);
    const noted = notedTime(created, latest, places.earliest);
    const receipt = isLeft ? meetRow(seen, row, noted, number) : takeRow(seen, row, noted, number, age);
    const isEmitted = receipt === 'new' && !isLeft;
    hasBegun ||= receipt !== 'new' || !isOlder;
    if (receipt === 'copy' && !isOlder) counts.copies++;
    if (receipt === 'new' && place === 'before start') counts.beforeStart++;
    if (receipt !== 'new' || isEmitted) newest = later(newest, created ?? newest);
    if (!isEmitted) continue;
    taken.push(row);
    if (isOlder) counts.strays++;
    if (created === undefined) counts.timeless++;
  }
  return { rows: taken, counts, hasBegun, newest };
}

type Place = 'own' | 'older' | 'before start' | 'after end' | 'elsewhere';

/** Returns where a row belongs; one without a time belongs to the range of the chain that returns it. */
function placeOf(created: Instant | undefined, range: Bounds, { open, coveredFrom, end }: Places): Place {
  if (created === undefined) return 'own';
  if (created > end) return 'after end';
  if (isIn(range, created)) return 'own';
  if (created >= range.until || open.some((one) => isIn(one, created))) return 'elsewhere';
  return created < coveredFrom ? 'before start' : 'older';
}

/** `passed` is the newest created time of the chain on earlier pages. */
function ageOf(created: Instant | undefined, newest: Instant, passed: Instant): Age {
  if (created === undefined) return 'older';
  if (created > newest) return 'newer';
  if (created === newest) return 'same';
  return created > passed ? 'late' : 'older';
}

/** Returns the created time by which a row is remembered; for one without a time, that of the newest row of its chain. */
function notedTime(created: Instant | undefined, newest: Instant, earliest: Instant): Created {
  if (created === undefined) return newest === MIN_INSTANT ? 'unknown' : newest;
  return created < earliest ? 'stray' : created;
}
