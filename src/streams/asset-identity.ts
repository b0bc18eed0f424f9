import { rowBytes, rowValue, scalarMember } from '../protocol/row.ts';
import type { Row } from '../protocol/row.ts';

const ID_FIELD = 'assetId';
/** Before a text that is an id: a number is known by its digits, and never equals a text. */
const TEXT = 'id:';
const NUMBER = 'number:';
/** Names of members that a message shows. */
const SHOWN = 10;

/**
 * What an asset is known by: its `assetId`, which may be a text or a number; the row's whole text where it is neither, so
 * that such a row is another one as soon as a single character of it changes.
 */
export function keyOf(row: Row): string | Buffer {
  const id = idOf(row);
  return id === undefined ? rowBytes(row) : `${id.kind === 'text' ? TEXT : NUMBER}${id.text}`;
}

/** What keeps rows from being known again in another answer; null if each has an id. */
export function whyStrange(rows: readonly Row[]): string | null {
  const row = rows.find((one) => idOf(one) === undefined);
  if (row === undefined) return null;
  return (
    `no row of one answer is found again in the next, and rows have no ${ID_FIELD} that is a text or a number, by which ` +
    `they would be known even if their text changes (they have ${Object.keys(rowValue(row)).slice(0, SHOWN).join(', ')}). Whoever ` +
    `runs the API has to send ${ID_FIELD} with each asset. If it is only that the list changes faster than it is read, try ` +
    `a quieter time or a larger page_size.`
  );
}

function idOf(row: Row): ReturnType<typeof scalarMember> {
  const id = scalarMember(row, ID_FIELD);
  return id?.text === '' ? undefined : id;
}
