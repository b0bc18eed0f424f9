import { isRefusal, type PageSize } from './answer.ts';
import type { BoundRule } from './bounds.ts';
import { ORDINARY_CURSORS, START, cursorAnswer, type OrderedRows } from './cursor-answer.ts';

/** A list in the order of its rows. */
export interface NumberedRows<Row> extends Pick<OrderedRows<Row>, 'rows' | 'timeOf'> {
  readonly bound: BoundRule;
}

export interface NumberedRequest {
  readonly limit: number;
  /** ns since the epoch; null for no bound. */
  readonly since: bigint | null;
  /** The number of rows within the bound before the page; null for the first page. */
  readonly after: string | null;
}

/** The page of a list whose cursors are row numbers, which need no memory; `next` is null on the last page. */
export function numberedPage<Row>(
  { rows, timeOf, bound }: NumberedRows<Row>,
  { limit, since, after }: NumberedRequest,
  size: PageSize,
): { readonly rows: readonly Row[]; readonly next: string | null } {
  const cursor =
    after === null ? null : { ...START, index: Number(after), since: null, issuedMs: 0, read: 0 };
  const page = cursorAnswer(
    { rows, timeOf, isBefore: () => false, isAscending: false },
    { limit, since, after, cursor },
    { ...ORDINARY_CURSORS, kind: 'a row number', bound },
    { ms: 0, read: 0 },
    size,
  );
  if (isRefusal(page)) throw new Error(page.error);
  return { rows: page.rows, next: page.next === null ? null : String(page.next.index) };
}
