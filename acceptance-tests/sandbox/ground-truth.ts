import { setImmediate as breathe } from 'node:timers/promises';
import { createRowDigest, lineForm } from './digest.ts';
import type { RowSet } from './digest.ts';
import { eachList, listNames } from './lists.ts';
import type { ListName } from './lists.ts';
import type { Place, Row } from './rows.ts';
import type { ServedScenario } from './scenario.ts';

/** What a scenario holds, from the source. */
export type GroundTruth = Record<ListName, RowSet>;

/**
 * Which rows: `{}` those that exist now; `since` those that have existed from the mark until now; `after` those born
 * after the mark, alive or not; `lived` every row that existed at any moment from the mark on (all that may be emitted).
 */
export interface GroundTruthSelection {
  since?: number;
  after?: number;
  lived?: number;
}

/** Rows that are made texts of before other requests get their turn. */
const rowsAtOnce = 200;

/**
 * The selected rows of a list as they are at the moment of the call, in slices, living ones first: later changes do not
 * show. Texts are in line form.
 */
export function selectedTexts(
  { rows, options }: ServedScenario,
  name: ListName,
  selection: GroundTruthSelection,
) {
  const { living, dead, textsBy } = rows[name];
  const selected = [...living(), ...dead()].filter((row) => isSelected(selection, row));
  return slices(selected, textsBy(options));
}

async function* slices(rows: readonly Row[], textOf: (row: Place) => string): AsyncGenerator<string[]> {
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    yield rows.slice(start, start + rowsAtOnce).map((row) => lineForm(textOf(row)));
    await breathe();
  }
}

function isSelected({ since, after, lived }: GroundTruthSelection, { birth, death }: Row): boolean {
  if (after !== undefined) return birth > after;
  if (lived !== undefined) return death > lived;
  return death === Number.POSITIVE_INFINITY && birth <= (since ?? birth);
}

/** Counts and digests of what the scenario holds. */
export async function groundTruthOf(scenario: ServedScenario): Promise<GroundTruth> {
  // All lists are taken before anything is awaited, so that they show the same moment.
  const taken = eachList((name) => selectedTexts(scenario, name, {}));
  const digests = eachList(createRowDigest);
  for (const name of listNames) for await (const slice of taken[name]) slice.forEach(digests[name].add);
  return eachList((name) => digests[name].result());
}
