import type { Lifetime } from '../model/changing-rows.ts';
import { prettyJson } from '../model/envelope.ts';
import { createdText, parseInstant } from './data/instant.ts';
import { createRandom, fraction, mix } from './data/random.ts';
import { isPagedBy, lists, numberOf, type ListName } from './lists.ts';
import { optionsOf, type Options } from './options.ts';

/** A row; the moments at which it is inserted and deleted are marks of changes. */
export interface Row extends Readonly<Lifetime> {
  readonly number: number;
  readonly createdMicros: number;
}

/** The position of a row in a list: by created time, then by number. */
export type Place = Pick<Row, 'number' | 'createdMicros'>;

/** Rows to delete: at the head, that is, the newest (the default), at a position or at random. */
export interface Deletion {
  count: number;
  at?: 'head' | 'random' | number;
}

/** New rows. Without `createdAt` the last one is created now; `spacingMs` (default 1) separates them. */
export interface Arrival {
  count: number;
  createdAt?: string;
  spacingMs?: number;
}

/** The rows of one list of a scenario. */
export type Rows = ReturnType<typeof createRows>;

const yearMicros = 365 * 86_400 * 1_000_000;
const NOT_DELETED = Number.POSITIVE_INFINITY;

/** Creates `sizes[name]` rows with mark 0. All choices follow from the seed and not from the current date. */
export function createRows(name: ListName, seed: number, sizes: Record<ListName, number>) {
  const createdOf = firstCreated(name, seed, sizes[name]);
  const random = createRandom(seed ^ 0xa55e7);
  const idOf = ({ number }: Row): string => rowId(seed, numberOf(name), number);
  let next = sizes[name];
  let present: readonly Row[] = Array.from({ length: next }, (_, number) => {
    return { number, createdMicros: createdOf(number), from: 0, until: NOT_DELETED };
  });
  const deleted: Row[] = [];

  return {
    /** The existing rows, oldest first. A change creates a new array. */
    present: () => present,
    /** Deleted rows, in the order in which they were deleted. */
    deleted: (): readonly Row[] => deleted,
    idOf,
    textsBy: (options: Options) => rowTexts(name, seed, sizes, options),
    /** Inserts rows in the order of created times and returns their ids. Throws a 400 error for an invalid `createdAt`. */
    add: (arrival: Arrival, nowMicros: number, from: number): string[] => {
      const times = createdTimes(arrival, nowMicros, present.at(-1)?.createdMicros ?? 0);
      const added = times.map((createdMicros, n): Row => {
        return { number: next + n, createdMicros, from, until: NOT_DELETED };
      });
      next += added.length;
      present = [...present, ...added].toSorted(byPlace);
      return added.map(idOf);
    },
    /** Deletes rows, or all that exist if there are fewer, and returns their ids. */
    remove: ({ count, at = 'head' }: Deletion, until: number): string[] => {
      const size = present.length;
      const end = size - (typeof at === 'number' ? Math.min(at, size) : 0);
      const chosen = new Set(at === 'random' ? [] : present.slice(Math.max(0, end - count), end));
      if (at === 'random')
        while (chosen.size < Math.min(count, size)) chosen.add(present[random.below(size)] as Row);
      present = present.filter((row) => !chosen.has(row));
      const removed = [...chosen].toSorted(byPlace).map((row) => ({ ...row, until }));
      deleted.push(...removed);
      return removed.map(idOf);
    },
  };
}

/** The created times of new rows. Without `createdAt` none is older than the newest existing row. */
function createdTimes({ count, createdAt, spacingMs = 1 }: Arrival, nowMicros: number, newest: number) {
  const spacing = Math.round(spacingMs * 1000);
  const time = createdAt === undefined ? undefined : parseInstant(createdAt, null);
  if (time === null)
    throw Object.assign(new Error(`createdAt: "${createdAt}" is not a date-time`), { statusCode: 400 });
  const given = time === undefined ? undefined : Number(time / 1000n);
  const from = given ?? nowMicros - (count - 1) * spacing;
  return Array.from({ length: count }, (_, n) => {
    return Math.max(given === undefined ? newest : 0, from + n * spacing);
  });
}

/** Returns a function that renders rows exactly as they appear on pages. */
export function rowTexts(name: ListName, seed: number, sizes: Record<ListName, number>, options: Options) {
  const { text, created } = lists[name];
  const list = numberOf(name);
  const missing = isPagedBy('cursor', name) ? optionsOf(options, 'cursor', name).createdMissingEvery : null;
  return ({ number: row, createdMicros }: Place): string => {
    const random = createRandom(mix(seed, list, row));
    const isMissing = missing !== null && row % missing === missing - 1;
    const compact = text({
      id: rowId(seed, list, row),
      row,
      createdMicros,
      random,
      created: isMissing ? '' : `"${created}":${createdText(createdMicros, options.createdFormat)},`,
      idIn: (other) => rowId(seed, numberOf(other), random.below(Math.max(1, sizes[other]))),
    });
    return options.prettyPrint ? prettyJson(compact, 2) : compact;
  };
}

export const byPlace = (a: Place, b: Place) => a.createdMicros - b.createdMicros || a.number - b.number;

/** Created times of the first rows, spread over one year; about one in eight is that of the previous row. */
function firstCreated(name: ListName, seed: number, count: number): (row: number) => number {
  const number = numberOf(name);
  const firstYear = isPagedBy('offset', name) ? 2024 : 2025;
  const step = yearMicros / Math.max(1, count);
  return (row) => {
    let slot = row;
    while (slot % 16 !== 0 && fraction(seed, number, slot, 5) < 1 / 8) slot -= 1;
    return Date.UTC(firstYear) * 1000 + Math.floor((slot + fraction(seed, number, slot, 6)) * step);
  };
}

/** The UUID of a row: a pure function of its arguments, distinct for distinct rows. */
function rowId(seed: number, list: number, row: number): string {
  const [a = 0, b = 0, c = 0] = [1, 2, 3].map((part) => mix(seed, list, row, part));
  const last = hex(c >>> 16, 4) + hex(row ^ mix(a, seed, list, 4), 8);
  const [version, variant] = [hex(0x4000 | (b & 0xfff), 4), hex(0x8000 | (c & 0x3fff), 4)];
  return [hex(a, 8), hex(b >>> 16, 4), version, variant, last].join('-');
}

const hex = (bits: number, digits: number): string => (bits >>> 0).toString(16).padStart(digits, '0');
