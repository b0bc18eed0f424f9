import { setImmediate as breathe } from 'node:timers/promises';
import { createRowDigest, lineForm, type RowSet } from './digest.ts';
import { eachList, listNames, type ListName } from './lists.ts';
import type { ServedScenario } from './scenario.ts';

/** What a scenario holds, from the source. `existedThroughout`: the rows that lived from the mark until now. */
export type GroundTruth = Record<ListName, RowSet> & { existedThroughout: Record<ListName, RowSet> };

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

interface Life {
  text: string;
  birth: number;
}

/**
 * The selected rows of a list as they are at the moment of the call, in slices, living ones first: later changes do not
 * show. Texts are in line form.
 */
export function lives(
  scenario: ServedScenario,
  name: ListName,
  selection: GroundTruthSelection,
): AsyncGenerator<Life[]> {
  const { list, render } = scenario.rows[name];
  const { rows, created, births } = list.columns();
  const dead = [...list.dead()];
  const text = render(scenario.options());
  const lifeAt = (index: number): Life[] => {
    const gone = dead[index - rows.length];
    const birth = gone?.birth ?? births[index] ?? 0;
    if (!isSelected(selection, birth, gone?.death ?? Number.POSITIVE_INFINITY)) return [];
    const served = text(gone?.row ?? rows[index] ?? 0, gone?.createdMicros ?? created[index] ?? 0);
    return [{ text: lineForm(served), birth }];
  };
  return slices(rows.length + dead.length, lifeAt);
}

async function* slices(count: number, lifeAt: (index: number) => Life[]): AsyncGenerator<Life[]> {
  for (let start = 0; start < count; start += rowsAtOnce) {
    const length = Math.min(rowsAtOnce, count - start);
    yield Array.from({ length }, (_, place) => lifeAt(start + place)).flat();
    await breathe();
  }
}

function isSelected({ since, after, lived }: GroundTruthSelection, birth: number, death: number): boolean {
  if (after !== undefined) return birth > after;
  if (lived !== undefined) return death > lived;
  return death === Number.POSITIVE_INFINITY && birth <= (since ?? birth);
}

/** Counts and digests of what the scenario holds, and of what has existed since the mark. */
export async function groundTruthOf(scenario: ServedScenario, since: number): Promise<GroundTruth> {
  const now = eachList(createRowDigest);
  const throughout = eachList(createRowDigest);
  // All lists are taken before anything is awaited, so that they show the same moment.
  const taken = listNames.map((name) => [name, lives(scenario, name, {})] as const);
  for (const [name, rows] of taken)
    for await (const slice of rows)
      for (const { text, birth } of slice) {
        now[name].add(text);
        if (birth <= since) throughout[name].add(text);
      }
  return {
    ...eachList((name) => now[name].result()),
    existedThroughout: eachList((name) => throughout[name].result()),
  };
}
