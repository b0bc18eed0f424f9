import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { lineForm } from './line-form.ts';
import { eachList, type ListName } from './lists.ts';
import type { Place, Row } from './rows.ts';
import type { ServedScenario } from './scenario.ts';

/** The number of existing rows of each list. */
export type GroundTruth = ReturnType<typeof groundTruthOf>;

/**
 * Selects rows: `{}` those that exist now; `since` those that have existed since the mark; `after` those inserted after the
 * mark, deleted or not; `lived` every row that existed at any moment since the mark, that is, all that may be emitted.
 */
export interface GroundTruthSelection {
  since?: number;
  after?: number;
  lived?: number;
}

const sliceRows = 200; // row texts that are rendered before other requests get their turn

/** Returns the lines of the rows selected at the moment of the call, in pieces, existing rows first. */
export function selectedLines({ rows, options }: ServedScenario, name: ListName, by: GroundTruthSelection) {
  const { present, deleted, textsBy } = rows[name];
  const selected = [...present(), ...deleted()].filter((row) => isSelected(by, row));
  return linesOf(selected, textsBy(options));
}

async function* linesOf(rows: readonly Row[], textOf: (row: Place) => string): AsyncGenerator<string> {
  for (let start = 0; start < rows.length; start += sliceRows) {
    const slice = rows.slice(start, start + sliceRows);
    yield slice.map((row) => `${lineForm(textOf(row))}\n`).join('');
    await yieldToRequests();
  }
}

function isSelected({ since, after, lived }: GroundTruthSelection, { from, until }: Row): boolean {
  if (after !== undefined) return from > after;
  if (lived !== undefined) return until > lived;
  return until === Number.POSITIVE_INFINITY && from <= (since ?? from);
}

export function groundTruthOf({ rows }: ServedScenario) {
  return eachList((name) => ({ count: rows[name].present().length }));
}
