import { parsePage } from './page.ts';
import { rowBytes, type Row } from './row.ts';

/** The rows of a page of items. */
export function rowsOf(items: readonly string[]): readonly Row[] {
  return parsePage(Buffer.from(`{"items":[${items.join(',')}],"metadata":{"pagination":{}}}`)).rows;
}

/** The row of one item. */
export function rowOf(item: object | string): Row {
  const [row] = rowsOf([typeof item === 'string' ? item : JSON.stringify(item)]);
  if (row === undefined) throw new Error('a page of one item has one row');
  return row;
}

export function textsOf(rows: readonly Row[]): string[] {
  return rows.map((row) => rowBytes(row).toString());
}

/** The parsed item. */
export function rowValue(row: Row): Record<string, unknown> {
  return JSON.parse(rowBytes(row).toString()) as Record<string, unknown>;
}
