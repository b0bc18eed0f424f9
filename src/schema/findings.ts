import type { Row } from '../protocol/row.ts';
import { IS_DECLARED } from './value-fault.ts';

/** Characters of what is listed in a message at most, and of a name or an id in it. */
const MOST_CHARS = 3_000;
const MOST_NAME = 100;
/** What `sample_rows` is if nothing is set, and what it may be. */
const LEAST_SAMPLED = 1_000;
const MOST_SAMPLED = 1_000_000;
/** What is wrong with a field that the catalog does not know. */
export const NOT_DECLARED = 'is not declared';

/** Part of a comparison: each thing that is found for the first time, and all that was, with counts. */
export interface Finder {
  readonly look: (rows: readonly Row[]) => readonly string[];
  readonly found: () => readonly string[];
}

/** What to do, in words: a sample of twice the rows read covers each of them, wherever in the list this read began. */
export function cure(found: readonly string[], seen: number): string {
  const wanted = Math.max(LEAST_SAMPLED, 2 * seen);
  const step = 10 ** Math.max(0, Math.floor(Math.log10(wanted)) - 1);
  const sample = Math.min(MOST_SAMPLED, Math.ceil(wanted / step) * step);
  const isOfSchema = found.some((words) => words.includes(IS_DECLARED) || words.includes(NOT_DECLARED));
  const again = `To have fields declared as they are, set sample_rows to ${sample} or more, discover the schema again, take it over, and load the stream anew. `;
  return `${isOfSchema ? again : ''}The records themselves hold every value exactly; what loaders make of them is in docs/warehouse.md.`;
}

/** Names and ids come from the API: bounded, and written so that nothing in them breaks a line. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > MOST_NAME ? `${text.slice(0, MOST_NAME)}…` : text);
}

/** As many of the words as fit into a message. */
export function joined(words: readonly string[]): string {
  let length = 0;
  const fitting = words.filter((each) => (length += each.length + 2) <= MOST_CHARS);
  const left = words.length - fitting.length;
  return fitting.join('; ') + (left === 0 ? '' : `; and ${left} more`);
}
