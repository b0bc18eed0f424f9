import type { ListName, GroundTruthSelection, Scenario } from '../sandbox/client.ts';
import { compareItems } from '../sandbox/compare-items.ts';
import { recordTexts } from './run-views.ts';
import type { Output } from './run-views.ts';

/** How emitted rows differ from those that they should be. */
export interface RowDifferences {
  /** Rows that should be there and are not. */
  readonly lost: number;
  /** Rows that are there more than once: each further time counts. */
  readonly doubled: number;
  /** Rows that are there and should not be: altered, or never asked for. */
  readonly strange: number;
  /** The beginnings of some of them, for people. */
  readonly examples: readonly string[];
}

/** Nothing lost, doubled or altered. */
export const exact: RowDifferences = { lost: 0, doubled: 0, strange: 0, examples: [] };

/**
 * Compares the texts of emitted rows with rows of the sandbox's truth (in line form): those that must be there, and those that
 * may be, if these are others. Their order does not matter.
 */
export async function compareRows(
  emitted: readonly string[],
  must: AsyncIterable<string>,
  may?: AsyncIterable<string>,
): Promise<RowDifferences> {
  const wanted = [...new Set(await arrayOf(must))];
  const known = new Map(pairs(may === undefined ? wanted : await arrayOf(may)));
  const { lost, repeated, unknown } = compareItems(pairs(emitted), wanted, known, Object.is);
  return {
    lost: lost.length,
    doubled: repeated.length,
    strange: unknown.length,
    examples: [...lost, ...repeated, ...unknown].slice(0, 2).map((row) => row.slice(0, 150)),
  };
}

/** Rows that have no identity but their text. */
const pairs = (rows: readonly string[]) => rows.map((row) => [row, row] as const);

async function arrayOf(rows: AsyncIterable<string>): Promise<string[]> {
  const array: string[] = [];
  for await (const row of rows) array.push(row);
  return array;
}

/** The same for the rows of a list that some runs have emitted between them. */
export const compareRuns = (
  runs: readonly Output[],
  world: Scenario,
  list: ListName,
  selection: GroundTruthSelection,
): Promise<RowDifferences> =>
  compareRows(
    runs.flatMap((run) => recordTexts(run, list)),
    world.groundTruthRows(list, selection),
  );

/** The row texts of a world's truth, in line form. */
export const truthTexts = (world: Scenario, list: ListName, selection: GroundTruthSelection) =>
  arrayOf(world.groundTruthRows(list, selection));
