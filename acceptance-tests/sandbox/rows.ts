import { createdText, parseInstant } from './data/instant.ts';
import { prettyJson } from './api/envelope.ts';
import { createRandom, fraction, mix, type Random } from './data/random.ts';
import { createRowList, type Birth, type RowList } from './data/row-list.ts';
import { lists, type ListName } from './lists.ts';
import { cursorOptions, type Options } from './options.ts';

/** Where a row is put or taken: 0 is the head of the list, where the newest row stands. */
export type Place = 'head' | 'tail' | 'random' | number;

/** New rows of an offset-paged list. Without `at` they come in at the head, created now. */
export interface Insertion {
  count: number;
  at?: Place;
}

/** Rows to delete: some at a place (without `at`, at the head), or those with the given ids. */
export type Deletion = { count?: number; at?: Place } | { ids: string[] };

/** New rows of a cursor-paged list. Without `createdAt` the last one is created now; `spacingMs` (default 1) lies between. */
export interface Arrival {
  count: number;
  createdAt?: string;
  spacingMs?: number;
}

/** Makes the text of a row, exactly as pages carry it. */
export type Render = (row: number, createdMicros: number) => string;

/** The rows of one list of a scenario, their ids and texts. */
export type Rows = ReturnType<typeof createRows>;

const yearMicros = 365 * 86_400 * 1_000_000;

/** `sizes[name]` rows; all choices follow from the seed, never from today. */
export function createRows(name: ListName, seed: number, sizes: Record<ListName, number>) {
  const { number } = lists[name];
  const list = createRowList(sizes[name], firstCreated(name, seed, sizes[name]));
  const random = createRandom(seed ^ 0xa55e7);
  let nextRow = sizes[name];

  function indexesOf(ids: readonly string[]): number[] {
    const rows = new Set(ids.map((id) => rowOfId(seed, number, id)).filter((row) => row !== undefined));
    const indexes = [...rows].map((row) => list.indexOfRow(row));
    return indexes.filter((index) => index >= 0).toSorted(ascending);
  }

  const idOf = (row: number): string => rowId(seed, number, row);
  function born(births: Birth[], nextMark: () => number): string[] {
    nextRow += births.length;
    list.insert(births, nextMark());
    return births.map(({ row }) => idOf(row));
  }

  return {
    list,
    idOf,
    render: (options: Options): Render => createRender(name, seed, options, sizes),
    /** Gives the ids of the rows, as the next two do; each is one step of the marks. */
    insert: ({ count, at = 'head' }: Insertion, nowMicros: number, nextMark: () => number): string[] => {
      const places = birthPlaces(list, random, count, at);
      return born(
        places.map((place, n) => ({
          place,
          row: nextRow + n,
          createdMicros: createdAt(list, place, nowMicros),
        })),
        nextMark,
      );
    },
    /** Ids that are not there are left out. */
    remove: (deletion: Deletion, nextMark: () => number): string[] => {
      const indexes =
        'ids' in deletion
          ? indexesOf(deletion.ids)
          : deathIndexes(list, random, deletion.count ?? 1, deletion.at ?? 'head');
      const ids = indexes.map((index) => idOf(list.row(index)));
      list.remove(indexes, nextMark());
      return ids;
    },
    /** Each at the place that its created time gives it. Throws an error with `statusCode` 400 if that is no date-time. */
    arrive: (
      { count, createdAt: at, spacingMs = 1 }: Arrival,
      nowMicros: number,
      nextMark: () => number,
    ): string[] => {
      const given = at === undefined ? undefined : parseInstant(at, undefined)?.micros;
      if (at !== undefined && given === undefined)
        throw Object.assign(new Error(`createdAt: "${at}" is no date-time`), { statusCode: 400 });
      const spacing = Math.round(spacingMs * 1000);
      // Left to themselves, new rows never come in late: not before the newest one that is there.
      const newest = given === undefined ? list.createdMicros(list.size() - 1) : 0;
      const from = given ?? nowMicros - (count - 1) * spacing;
      const births = Array.from({ length: count }, (_, n): Birth => {
        const createdMicros = Math.max(newest, from + n * spacing);
        return {
          place: list.lowerIndex(createdMicros, Number.POSITIVE_INFINITY),
          row: nextRow + n,
          createdMicros,
        };
      });
      return born(births, nextMark);
    },
  };
}

/** When the first rows were created: spread over the list's first year, about one in eight with the one before. */
function firstCreated(name: ListName, seed: number, count: number): (row: number) => number {
  const { number, firstYear } = lists[name];
  const step = yearMicros / Math.max(1, count);
  return (row) => {
    let slot = row;
    while (slot % 16 !== 0 && fraction(seed, number, slot, 5) < 1 / 8) slot -= 1;
    return Date.UTC(firstYear) * 1000 + Math.floor((slot + fraction(seed, number, slot, 6)) * step);
  };
}

/** Ascending indexes for births: 0 is below the oldest row, size above the newest one. */
function birthPlaces(list: RowList, random: Random, wanted: number, at: Place): number[] {
  const size = list.size();
  const place = (): number => {
    if (at === 'random') return random.below(size + 1);
    if (at === 'tail') return 0;
    return size - Math.min(size, at === 'head' ? 0 : at);
  };
  return Array.from({ length: wanted }, place).toSorted(ascending);
}

/** Rows at the head are created now, others share the created time of the next older row. */
function createdAt(list: RowList, place: number, nowMicros: number): number {
  if (place === list.size()) return Math.max(nowMicros, list.createdMicros(place - 1));
  return place === 0 ? list.createdMicros(0) - 60_000_000 : list.createdMicros(place - 1);
}

function deathIndexes(list: RowList, random: Random, wanted: number, at: Place): number[] {
  const size = list.size();
  const granted = Math.min(wanted, size);
  if (at === 'random') {
    const chosen = new Set<number>();
    while (chosen.size < granted) chosen.add(random.below(size));
    return [...chosen].toSorted(ascending);
  }
  const position = at === 'tail' ? size - granted : at === 'head' ? 0 : Math.min(at, size);
  const end = size - position;
  const start = Math.max(0, end - granted);
  return Array.from({ length: end - start }, (_, offset) => start + offset);
}

/** The renderer of a list under the given options; later changes of the options do not reach it. */
function createRender(
  name: ListName,
  seed: number,
  options: Options,
  sizes: Record<ListName, number>,
): Render {
  const { number, text, paging } = lists[name];
  const format = options.createdFormat;
  const missing = paging === 'cursor' ? cursorOptions(options, name).createdMissingEvery : null;
  const stream = createRandom(0);
  return (row, createdMicros) => {
    const random = stream.restart(mix(seed, number, row));
    const isMissing = missing !== null && row % missing === missing - 1;
    const compact = text({
      id: rowId(seed, number, row),
      row,
      createdMicros,
      random,
      created: isMissing ? '' : `"createdDate":${createdText(createdMicros, format)},`,
      idIn: (other) => rowId(seed, lists[other].number, random.below(Math.max(1, sizes[other]))),
    });
    return options.prettyPrint ? prettyJson(compact, 2) : compact;
  };
}

/** The UUID of row number `row` of a list: a pure function of its arguments, distinct for distinct rows. */
function rowId(seed: number, list: number, row: number): string {
  const first = mix(seed, list, row, 1);
  const middle = mix(seed, list, row, 2);
  const fourth = mix(seed, list, row, 3);
  const version = 0x4000 | (middle & 0xfff);
  const variant = 0x8000 | (fourth & 0x3fff);
  const last = hex(fourth >>> 16, 4) + hex(masked(row, first, seed, list), 8);
  return `${hex(first, 8)}-${hex(middle >>> 16, 4)}-${hex(version, 4)}-${hex(variant, 4)}-${last}`;
}

/** The row number that {@link rowId} was given, or undefined if the text is no id of that list. */
function rowOfId(seed: number, list: number, id: string): number | undefined {
  const first = Number.parseInt(id.slice(0, 8), 16);
  const row = masked(Number.parseInt(id.slice(28), 16), first, seed, list);
  return rowId(seed, list, row) === id ? row : undefined;
}

/** Hides a row number under a mask; hides and uncovers alike. */
function masked(row: number, first: number, seed: number, list: number): number {
  return (row ^ mix(first, seed, list, 4)) >>> 0;
}

function hex(bits: number, digits: number): string {
  return bits.toString(16).padStart(digits, '0');
}

function ascending(a: number, b: number): number {
  return a - b;
}
