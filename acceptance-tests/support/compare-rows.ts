import { Readable } from 'node:stream';
import type { GroundTruthSelection, ListName, Scenario } from '../sandbox/client.ts';
import { compareItems } from '../sandbox/compare-items.ts';

/** No row is lost, repeated or unknown (altered, or not selected). */
export const exact = { lost: [], repeated: [], unknown: [] };

/**
 * Compares the texts of emitted rows with rows of the ground truth (in line form): those that must be emitted, and those that
 * may be, if more. Their order does not matter. Returns texts; `repeated` has one for each repetition.
 */
export async function compareRows(
  emitted: readonly string[],
  must: AsyncIterable<string>,
  may?: AsyncIterable<string>,
) {
  const expected = [...new Set(await arrayOf(must))];
  const known = new Map(pairs(may === undefined ? expected : await arrayOf(may)));
  const { lost, repeated, unknown } = compareItems(pairs(emitted), expected, known, Object.is);
  return { lost, repeated, unknown };
}

/** Rows that are identified by their text. */
const pairs = (rows: readonly string[]) => rows.map((row) => [row, row] as const);

const arrayOf = (rows: AsyncIterable<string>): Promise<string[]> => Readable.from(rows).toArray();

/** The texts of rows of the ground truth, in line form. */
export const truthTexts = (world: Scenario, list: ListName, selection: GroundTruthSelection) =>
  arrayOf(world.groundTruthRows(list, selection));
