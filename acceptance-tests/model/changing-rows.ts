import type { IsBefore } from './orders.ts';

/** When a row is in a list. A moment is a number of requests or of changes. */
export interface Lifetime {
  /** The moment at which it was inserted. */
  readonly from: number;
  /** The moment at which it was deleted; Infinity while it exists. */
  until: number;
}

/** The rows that ever existed, in the order of their arrival, and those of the list, in its order. */
export interface ChangingRows<Row> {
  readonly rows: Row[];
  readonly list: Row[];
}

/** Whether a row was in the list at a moment, and still is at a later one. */
export const isListedFrom = ({ from, until }: Lifetime, moment: number, later: number): boolean =>
  from <= moment && until > later;

/** Adds a row that arrives, at its place in the order of the list. */
export function insertRow<Row>(changing: ChangingRows<Row>, row: Row, isBefore: IsBefore<Row>): void {
  const index = changing.list.findIndex((other) => isBefore(row, other));
  insertRowAt(changing, row, index === -1 ? changing.list.length : index);
}

/** Adds a row that arrives, at an index of the list. */
export function insertRowAt<Row>({ rows, list }: ChangingRows<Row>, row: Row, index: number): void {
  rows.push(row);
  list.splice(index, 0, row);
}

/** Takes the row at an index out of the list; undefined if there is none. */
export function removeRow<Row extends Lifetime>(
  { list }: ChangingRows<Row>,
  index: number,
  moment: number,
): Row | undefined {
  const [row] = list.splice(index, 1);
  if (row !== undefined) row.until = moment;
  return row;
}
