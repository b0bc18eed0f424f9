import { readTime } from '../paging/instant.ts';
import type { WrittenTime } from '../paging/instant.ts';
import { scalarMember } from '../protocol/row.ts';
import type { Row } from '../protocol/row.ts';

/** The time in a field of a row, exact: a number is read from its text, not through a float. Undefined if it is none. */
export function timeOf(row: Row, field: string): WrittenTime | undefined {
  const member = scalarMember(row, field);
  return member === undefined ? undefined : readTime(member.text);
}
