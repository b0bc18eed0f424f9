import { eachList } from '../../sandbox/lists.ts';
import type { ListName } from '../../sandbox/lists.ts';
import { defaultOptions } from '../../sandbox/options.ts';
import { rowTexts } from '../../sandbox/rows.ts';

/** Rows of a list as one text: the rows of a page stand behind one another, with commas between them. */
export interface RowTexts {
  readonly size: number;
  /** The first row that is created at `ms` or later. */
  readonly createdSince: (ms: number) => number;
  /** The text of the rows from `start` up to, not including, `end`: a view, not a copy. */
  readonly between: (start: number, end: number) => Buffer;
}

const SEED = 8;
/** ms between two rows. */
const SPACING = 1000;
/** Rows that are put together at a time. */
const BATCH = 1000;

/**
 * Renders rows of the sandbox's own kind, each created a second after the one before, the last one `ageMs` before now;
 * of narrow ones the `members` alone.
 */
export function renderRows(
  kind: ListName,
  size: number,
  ageMs: number,
  members: readonly string[] | null,
): RowTexts {
  const firstCreated = Math.floor((Date.now() - ageMs) / SPACING - size) * SPACING;
  const sizes = eachList(() => size);
  const textOf = rowTexts(kind, SEED, sizes, defaultOptions);
  const starts = new Float64Array(size + 1);
  const batches: Buffer[] = [];
  for (let first = 0; first < size; first += BATCH) {
    let batch = '';
    for (let row = first; row < Math.min(size, first + BATCH); row++) {
      const whole = textOf({ number: row, createdMicros: (firstCreated + row * SPACING) * 1000 });
      const text = `${members === null ? whole : JSON.stringify(JSON.parse(whole), [...members])},`;
      starts[row + 1] = (starts[row] ?? 0) + Buffer.byteLength(text);
      batch += text;
    }
    batches.push(Buffer.from(batch));
  }
  const bytes = Buffer.concat(batches);
  return {
    size,
    createdSince: (ms) => Math.ceil((ms - firstCreated) / SPACING),
    // the comma behind the last row is left out
    between: (start, end) => bytes.subarray(starts[start], Math.max(0, (starts[end] ?? 0) - 1)),
  };
}
