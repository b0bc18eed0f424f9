import type { ParameterValue } from './parameters.ts';

/** The orders of lists. */
export type Order = ParameterValue<'order'>;

/** Whether one row comes before another one in a list; never true of a row and itself. */
export type IsBefore<Row> = (one: Row, other: Row) => boolean;

/** What the place of a row depends on. */
export interface RowKeys<Row> {
  /** The number of rows that arrived before it. */
  readonly number: (row: Row) => number;
  readonly created: (row: Row) => number | bigint;
  /** Its place if the list is shuffled. */
  readonly hash: (row: Row) => number;
  /** Whether it stands before or after all others, out of order. */
  readonly isApart: (row: Row) => boolean;
}

/** How the rows of a list are ordered. */
export function orderOf<Row>(order: Order, { number, created, hash, isApart }: RowKeys<Row>): IsBefore<Row> {
  const byArrival: IsBefore<Row> = (one, other) => number(one) < number(other);
  const byTime: IsBefore<Row> = (one, other) =>
    created(one) === created(other) ? byArrival(one, other) : created(one) < created(other);
  const apartLast: IsBefore<Row> = (one, other) =>
    isApart(one) === isApart(other) ? byTime(one, other) : isApart(other);
  const orders: Readonly<Record<Order, IsBefore<Row>>> = {
    'by created time': byTime,
    'by arrival': byArrival,
    descending: (one, other) => byTime(other, one),
    shuffled: (one, other) => (hash(one) === hash(other) ? byArrival(one, other) : hash(one) < hash(other)),
    'old rows last': apartLast,
    'rows without a time last': apartLast,
    'rows without a time first': (one, other) =>
      isApart(one) === isApart(other) ? byTime(one, other) : isApart(one),
  };
  return orders[order];
}
