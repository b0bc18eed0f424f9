import { beginsSlice, type Sliced } from '../../rows/slices.ts';
import { MIN_INSTANT, earliest, later, type Instant } from '../instant.ts';
import { NO_COUNTS, type Counts } from './counts.ts';
import { isIn, type Bounds } from './ranges.ts';
import type { Created } from './seen-log.ts';
import type { Age } from './fresh-rows.ts';
import { meetRow, takeRow, type Receipt, type SeenRows } from './seen-rows.ts';

/** Where the rows of a page may belong. */
export interface Places {
  readonly open: readonly Bounds[]; // all ranges that are still to be read, that of the chain included
  readonly coveredFrom: Instant; // earlier rows are before the start date
  readonly earliest: Instant; // no row requested by the chain is older
  readonly ascends: boolean; // the page and the pages before it may be in ascending order
  readonly end: Instant; // later ones are after the end date
}

/** The chain that returned a page. Not a `Chain`: these have many shapes, for each of which V8 would compile `takeRows` again. */
export interface Receiver {
  readonly number: number;
  readonly since: Instant; // of its range
  readonly until: Instant;
  readonly hasBegun: boolean;
  readonly isFirst: boolean;
  readonly isResumed: boolean; // from a saved cursor
}

export interface Taken<R> {
  readonly rows: readonly R[]; // to emit
  readonly counts: Counts;
  readonly hasBegun: boolean; // the chain has returned a row of its range, or one that was emitted before
  readonly newest: Instant; // the latest created time of the rows that are or were emitted; `MIN_INSTANT` if there is none
}

/**
 * Chooses which rows of a page to emit: those in the range of the chain, those without a time, and those older than the range that no
 * other range will return, unless they were emitted before. `passed` is the newest created time of the chain on earlier pages.
 *
 * The first rows of a chain may be older than its range because the server rounds the requested bound down. In ascending order, rows that
 * were emitted before follow then, and these first rows were emitted too. If a new row follows instead, or the page does not look
 * ascending, they are strays.
 */
export function* takeRows<R>(
  { number, since, until, hasBegun, isFirst, isResumed }: Receiver,
  { rows, times }: { readonly rows: readonly R[]; readonly times: readonly (Instant | undefined)[] },
  passed: Instant,
  seen: SeenRows<R>,
  places: Places,
): Sliced<Taken<R>> {
  const found: Found<R> = {
    rows: [],
    counts: { ...NO_COUNTS },
    hasBegun,
    newest: MIN_INSTANT,
    first: [],
  };
  const own: Bounds = { since, until: earliest(until, places.end + 1n) };
  let latest = passed;
  for (let at = 0; at < rows.length; at++) {
    if (beginsSlice(at)) yield;
    const row = rows[at] as R;
    const created = times[at];
    const place = placeOf(created, own, until, places);
    const age = isFirst && place === 'own' ? ageOf(created, latest, passed) : 'older';
    if (created !== undefined) latest = age === 'newer' ? created : later(latest, created);
    if (place === 'after end') found.counts.afterEnd++;
    if (place === 'elsewhere' || place === 'after end') continue;
    const noted =
      place === 'own' && created !== undefined ? created : notedTime(created, latest, places.earliest);
    const isLeft = place === 'before start' || (place === 'older' && !found.hasBegun);
    const receipt = isLeft ? meetRow(seen, row, noted, number) : takeRow(seen, row, noted, number, age);
    const isEmitted = receipt === 'new' && !isLeft;
    noteReceipt(found, place, receipt, created, isEmitted);
    const begins = !found.hasBegun && (receipt !== 'new' || place === 'own');
    if (begins && (receipt === 'new' || !places.ascends)) emitFirst(found, seen, number);
    found.hasBegun ||= begins;
    if (isEmitted) emit(found, row, isResumed, seen);
    if (!found.hasBegun && noted === 'stray' && place === 'older') found.first.push(row);
  }
  if (!found.hasBegun && !places.ascends) emitFirst(found, seen, number);
  return found;
}

interface Found<R> extends Taken<R> {
  readonly rows: R[];
  readonly counts: { -readonly [Key in keyof Counts]: number };
  hasBegun: boolean;
  newest: Instant;
  first: R[]; // strays before the first row of the range or known row
}

/** Counts a row, before it is emitted or left out. */
function noteReceipt(
  found: Found<unknown>,
  place: Place,
  receipt: Receipt,
  created: Instant | undefined,
  isEmitted: boolean,
): void {
  const { counts } = found;
  if (receipt === 'copy' && place === 'own') counts.copies++;
  if (receipt === 'new' && place === 'before start') counts.beforeStart++;
  if (isEmitted && place === 'older') counts.strays++;
  if (isEmitted && created === undefined) counts.timeless++;
  if (receipt !== 'new' || isEmitted) found.newest = later(found.newest, created ?? found.newest);
}

function emit<R>(found: Found<R>, row: R, isResumed: boolean, { given }: SeenRows<R>): void {
  found.rows.push(row);
  // a resumed chain returns other rows before those that the state knows
  if (!isResumed) given.noteNew();
}

function emitFirst<R>(found: Found<R>, seen: SeenRows<R>, chain: number): void {
  const strays = found.first.filter((row) => takeRow(seen, row, 'stray', chain, 'older') === 'new');
  found.rows.push(...strays);
  found.counts.strays += strays.length;
  found.first = [];
}

type Place = 'own' | 'older' | 'before start' | 'after end' | 'elsewhere';

/** Returns where a row belongs; one without a time belongs to the range of the chain that returns it. */
function placeOf(
  created: Instant | undefined,
  own: Bounds,
  until: Instant,
  { open, coveredFrom, end }: Places,
): Place {
  if (created === undefined || isIn(own, created)) return 'own';
  if (created > end) return 'after end';
  if (created >= until || open.some((one) => isIn(one, created))) return 'elsewhere';
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
function notedTime(created: Instant | undefined, newest: Instant, lowest: Instant): Created {
  if (created === undefined) return newest === MIN_INSTANT ? 'unknown' : newest;
  return created < lowest ? 'stray' : created;
}
