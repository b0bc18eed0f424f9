import { parsePage } from '../api/page.ts';
import type { Row } from './row.ts';

/** The row of an item, as a page brings it. */
export function rowOf(item: object | string): Row {
  const text = typeof item === 'string' ? item : JSON.stringify(item);
  const [row] = parsePage(Buffer.from(`{"items":[${text}],"metadata":{"pagination":{}}}`)).rows;
  if (row === undefined) throw new Error('a page of one item has one row');
  return row;
}
