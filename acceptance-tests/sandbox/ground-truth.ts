import { setImmediate as breathe } from 'node:timers/promises';
import { createRowDigest, lineForm, type RowSet } from './digest.ts';
import { listNames, type ListName } from './lists.ts';
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

/** Rows that are rendered before other requests get their turn. */
const rowsAtOnce = 200;

/**
 * The selected rows of a list as they are at the moment of the call, in slices, living ones first: later changes do not
 * show. Texts are in line form.
 */
export function rowTexts(scenario: ServedScenario, name: ListName, selection: GroundTruthSelection) {
  const { list, render } = scenario.rows[name];
  const { rows, created, births } = list.columns();
  const dead = [...list.dead()];
  const text = render(scenario.options());
  const textAt = (index: number): string[] => {
    const gone = dead[index - rows.length];
    if (!isSelected(selection, gone?.birth ?? births[index] ?? 0, gone?.death ?? Number.POSITIVE_INFINITY))
      return [];
    return [lineForm(text(gone?.row ?? rows[index] ?? 0, gone?.createdMicros ?? created[index] ?? 0))];
  };
  return slices(rows.length + dead.length, textAt);
}

async function* slices(count: number, textAt: (index: number) => string[]): AsyncGenerator<string[]> {
  for (let start = 0; start < count; start += rowsAtOnce) {
    const length = Math.min(rowsAtOnce, count - start);
    yield Array.from({ length }, (_, place) => textAt(start + place)).flat();
    await breathe();
  }
}

function isSelected({ since, after, lived }: GroundTruthSelection, birth: number, death: number): boolean {
  if (after !== undefined) return birth > after;
  if (lived !== undefined) return death > lived;
  return death === Number.POSITIVE_INFINITY && birth <= (since ?? birth);
}

/** Counts and digests of what the scenario holds. */
export async function groundTruthOf(scenario: ServedScenario): Promise<GroundTruth> {
  // All lists are taken before anything is awaited, so that they show the same moment.
  const taken = listNames.map((name) => [name, rowTexts(scenario, name, {})] as const);
  const sets: [ListName, RowSet][] = [];
  for (const [name, rows] of taken) {
    const digest = createRowDigest();
    for await (const slice of rows) slice.forEach(digest.add);
    sets.push([name, digest.result()]);
  }
  return Object.fromEntries(sets) as GroundTruth;
}
