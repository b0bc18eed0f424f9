import { isRefusal, wholePage, type Refusal } from '../../../acceptance-tests/model/answer.ts';
import {
  ORDINARY_OFFSETS,
  offsetAnswer,
  type OffsetPage as AnsweredPage,
  type OffsetParameters,
  type RowsInOrder,
} from '../../../acceptance-tests/model/offset-answer.ts';
import type { OffsetOutcome } from './outcome.ts';
import { readOffsetList } from './read.ts';
import type { OffsetRead } from './run.ts';
import type { FetchOffsetPage, OffsetPage } from './window.ts';

/** A read of a list whose rows are their keys, one page at a time, from its start. */
export const readOf = <Row>(fetchPage: FetchOffsetPage<Row>): OffsetRead<Row> => ({
  fetchPage,
  keyOf: String,
  isSame: (one, other) => one === other,
  concurrency: 1,
  maxAheadBytes: Infinity,
  from: null,
  notify: async () => undefined,
  pause: async () => undefined,
  signal: new AbortController().signal,
});

/** Reads a list to the end of the read. */
export async function readWhole<Row>(
  read: OffsetRead<Row>,
): Promise<{ readonly emitted: readonly Row[]; readonly outcome: OffsetOutcome<Row> }> {
  const batches = readOffsetList(read);
  const emitted: Row[] = [];
  let next = await batches.next();
  for (; next.done !== true; next = await batches.next()) emitted.push(...next.value.rows);
  return { emitted, outcome: next.value };
}

/** The pages of a list at rest, as the model of lists answers. */
export const pagesOf =
  <Row>(list: RowsInOrder<Row>, limit: number, parameters: Partial<OffsetParameters>) =>
  (offset: number): OffsetPage<Row> => {
    const all = { ...ORDINARY_OFFSETS, ...parameters };
    const atRest = { size: wholePage, staleTotal: list.length, ties: null };
    return received(offsetAnswer(list, { limit, offset }, all, atRest), limit);
  };

/** An answer of the model as the connector receives it. */
export function received<Row>(answer: AnsweredPage<Row> | Refusal, limit: number): OffsetPage<Row> {
  if (isRefusal(answer))
    return { rows: [], total: undefined, bytes: 0, isRefused: true, refusal: answer.error };
  const { rows, pagination } = answer;
  return { rows, total: pagination.totalCount ?? undefined, bytes: 0, limit };
}
