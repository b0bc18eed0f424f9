import { eachList } from '../../sandbox/lists.ts';
import { defaultOptions } from '../../sandbox/options.ts';
import { createRows } from '../../sandbox/rows.ts';

/** The two lists of the API. */
export type Kind = 'assets' | 'alarms';

/** Rows of a list as one text: the rows of a page stand behind one another, with commas between them. */
export interface RowTexts {
  readonly size: number;
  /** The first row that is created at `ms` or later. */
  readonly createdSince: (ms: number) => number;
  /** The text of the rows from `start` up to, not including, `end`: views, not copies. */
  readonly between: (start: number, end: number) => Buffer[];
}

const SEED = 8;
/** Rows with a text of their own; what follows repeats them under other ids and created times. */
const DIFFERENT = 20_000;
const ID_CHARS = 36;
const TIME_CHARS = '2025-01-01T00:00:00.000Z'.length;
/** ms between two rows. */
const SPACING = 1000;

/** The id of the row with a number: the text of a UUID. */
export function idOf(kind: Kind, row: number): string {
  return `${kind === 'assets' ? 'a55e7000' : 'a1a40000'}-0000-4000-8000-${row.toString(16).padStart(12, '0')}`;
}

/** Renders rows of the sandbox's own kind, each created a second after the one before, the last one `ageMs` before now. */
export function renderRows(kind: Kind, least: number, ageMs: number): RowTexts {
  const size = Math.ceil(least / DIFFERENT) * DIFFERENT;
  const firstCreated = Math.floor((Date.now() - ageMs) / SPACING - size) * SPACING;
  const createdAt = (row: number): number => firstCreated + row * SPACING;
  const starts = new Uint32Array(DIFFERENT + 1);
  const idPlaces = new Uint32Array(DIFFERENT);
  const timePlaces = new Uint32Array(DIFFERENT);

  const textOf = createRows(
    kind,
    SEED,
    eachList(() => DIFFERENT),
  ).render(defaultOptions);
  const render = (): Buffer => {
    const texts: Buffer[] = [];
    let length = 0;
    for (let row = 0; row < DIFFERENT; row++) {
      const text = Buffer.from(`${textOf(row, createdAt(row) * 1000)},`);
      starts[row] = length;
      idPlaces[row] = length + text.indexOf('-') - 8;
      timePlaces[row] = length + text.indexOf('"createdDate":"') + '"createdDate":"'.length;
      texts.push(text);
      length += text.length;
    }
    starts[DIFFERENT] = length;
    return Buffer.concat(texts);
  };
  const first = render();
  const chunks = Array.from({ length: size / DIFFERENT }, (_, number) => {
    const bytes = Buffer.from(first);
    for (let index = 0; index < DIFFERENT; index++) {
      const row = number * DIFFERENT + index;
      bytes.write(idOf(kind, row), idPlaces[index] ?? 0, ID_CHARS, 'latin1');
      bytes.write(new Date(createdAt(row)).toISOString(), timePlaces[index] ?? 0, TIME_CHARS, 'latin1');
    }
    return bytes;
  });
  return {
    size,
    createdSince: (ms) => Math.ceil((ms - firstCreated) / SPACING),
    between: (start, end) => {
      const views: Buffer[] = [];
      for (let at = start; at < end;) {
        const number = Math.floor(at / DIFFERENT);
        const stop = Math.min(end, (number + 1) * DIFFERENT);
        const from = starts[at % DIFFERENT] ?? 0;
        const to = starts[stop - number * DIFFERENT] ?? 0;
        // the comma behind the last row is left out
        views.push((chunks[number] ?? Buffer.alloc(0)).subarray(from, stop === end ? to - 1 : to));
        at = stop;
      }
      return views;
    },
  };
}
