import { prettyJson } from './api/envelope.ts';
import { createdText, parseInstant } from './data/instant.ts';
import { createRandom, fraction, mix } from './data/random.ts';
import { lists, numberOf, pagedBy } from './lists.ts';
import type { ListName } from './lists.ts';
import { optionsOf } from './options.ts';
import type { Options } from './options.ts';

/** A row: it came in with the mark `birth`, and went with `death`, which is infinite while it is there. */
export interface Row {
  readonly number: number;
  readonly createdMicros: number;
  readonly birth: number;
  readonly death: number;
}

/** Where a row stands in a list: by its created time, then by its number. */
export type Place = Pick<Row, 'number' | 'createdMicros'>;

/** Rows to delete: from the head where the newest row stands (the default), a position, or anywhere. */
export interface Deletion {
  count: number;
  at?: 'head' | 'random' | number;
}

/** New rows. Without `createdAt` the last one is created now; `spacingMs` (default 1) lies between. */
export interface Arrival {
  count: number;
  createdAt?: string;
  spacingMs?: number;
}

/** The rows of one list of a scenario. */
export type Rows = ReturnType<typeof createRows>;

const yearMicros = 365 * 86_400 * 1_000_000;
const alive = Number.POSITIVE_INFINITY;

/** `sizes[name]` rows, born at mark 0; all choices follow from the seed, never from today. */
export function createRows(name: ListName, seed: number, sizes: Record<ListName, number>) {
  const createdOf = firstCreated(name, seed, sizes[name]);
  const random = createRandom(seed ^ 0xa55e7);
  const idOf = ({ number }: Row): string => rowId(seed, numberOf(name), number);
  let next = sizes[name];
  let living: readonly Row[] = Array.from({ length: next }, (_, number) => {
    return { number, createdMicros: createdOf(number), birth: 0, death: alive };
  });
  const dead: Row[] = [];

  return {
    /** Oldest created first. A change makes a new list, and leaves this one as it is. */
    living: () => living,
    /** Rows that are gone, in the order in which they went. */
    dead: (): readonly Row[] => dead,
    idOf,
    textsBy: (options: Options) => rowTexts(name, seed, sizes, options),
    /** Each at the place that its created time gives it; gives their ids. Throws an error with `statusCode` 400 if that is none. */
    add: ({ count, createdAt: at, spacingMs = 1 }: Arrival, nowMicros: number, birth: number): string[] => {
      const given = at === undefined ? undefined : parseInstant(at, undefined)?.micros;
      if (at !== undefined && given === undefined)
        throw Object.assign(new Error(`createdAt: "${at}" is no date-time`), { statusCode: 400 });
      const spacing = Math.round(spacingMs * 1000);
      // Left to themselves, new rows never come in late: not before the newest one that is there.
      const newest = given === undefined ? (living.at(-1)?.createdMicros ?? 0) : 0;
      const from = given ?? nowMicros - (count - 1) * spacing;
      const added = Array.from({ length: count }, (_, n): Row => {
        return { number: next + n, createdMicros: Math.max(newest, from + n * spacing), birth, death: alive };
      });
      next += count;
      living = [...living, ...added].toSorted(byPlace);
      return added.map(idOf);
    },
    /** Gives the ids of those that went: fewer than asked for, if there were not so many. */
    remove: ({ count, at = 'head' }: Deletion, death: number): string[] => {
      const size = living.length;
      const end = size - (typeof at === 'number' ? Math.min(at, size) : 0);
      const chosen = new Set(at === 'random' ? [] : living.slice(Math.max(0, end - count), end));
      if (at === 'random')
        while (chosen.size < Math.min(count, size)) chosen.add(living[random.below(size)] as Row);
      living = living.filter((row) => !chosen.has(row));
      const gone = [...chosen].toSorted(byPlace).map((row) => ({ ...row, death }));
      dead.push(...gone);
      return gone.map(idOf);
    },
  };
}

/** Makes the texts of rows of a list, exactly as pages carry them. */
export function rowTexts(name: ListName, seed: number, sizes: Record<ListName, number>, options: Options) {
  const { text, created } = lists[name];
  const list = numberOf(name);
  const missing = missingEvery(name, options);
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

const byPlace = (a: Place, b: Place): number => a.createdMicros - b.createdMicros || a.number - b.number;

/** The index of the first row at or behind a place, by bisection. */
export function indexFrom(rows: readonly Row[], place: Place): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (byPlace(rows[middle] as Row, place) >= 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** When the first rows were created: spread over the list's first year, about one in eight with the one before. */
function firstCreated(name: ListName, seed: number, count: number): (row: number) => number {
  const number = numberOf(name);
  const firstYear = lists[name].paging === 'offset' ? 2024 : 2025;
  const step = yearMicros / Math.max(1, count);
  return (row) => {
    let slot = row;
    while (slot % 16 !== 0 && fraction(seed, number, slot, 5) < 1 / 8) slot -= 1;
    return Date.UTC(firstYear) * 1000 + Math.floor((slot + fraction(seed, number, slot, 6)) * step);
  };
}

function missingEvery(name: ListName, options: Options): number | null {
  const byCursor = pagedBy('cursor').find((paged) => paged === name);
  return byCursor === undefined ? null : optionsOf(options, 'cursor', byCursor).createdMissingEvery;
}

/** The UUID of row number `row` of a list: a pure function of its arguments, distinct for distinct rows. */
function rowId(seed: number, list: number, row: number): string {
  const [a = 0, b = 0, c = 0] = [1, 2, 3].map((part) => mix(seed, list, row, part));
  const last = hex(c >>> 16, 4) + hex(row ^ mix(a, seed, list, 4), 8);
  const [version, variant] = [hex(0x4000 | (b & 0xfff), 4), hex(0x8000 | (c & 0x3fff), 4)];
  return [hex(a, 8), hex(b >>> 16, 4), version, variant, last].join('-');
}

const hex = (bits: number, digits: number): string => (bits >>> 0).toString(16).padStart(digits, '0');
