import { memberText } from '../api/scan-items.ts';
import { readTime } from '../paging/instant.ts';
import type { WrittenTime } from '../paging/instant.ts';
import type { Row } from '../protocol/row.ts';

/** The time in a field of a row, exact: a number is read from its text, not through a float. Undefined if it is none. */
export function timeOf(row: Row, field: string): WrittenTime | undefined {
  const value = Object.hasOwn(row.value, field) ? row.value[field] : undefined;
  if (typeof value === 'string') return readTime(value);
  if (typeof value !== 'number') return undefined;
  return readTime(memberText(row.bytes, row, field) ?? '');
}
