import { wholePage, type PageSize } from '../../../acceptance-tests/model/answer.ts';
import type { MemberRule, OffsetParameters } from '../../../acceptance-tests/model/offset-answer.ts';
import type { Choices } from '../../../acceptance-tests/simulation/choices.ts';

/** A list of numbered rows, newest first, how its server answers, and how it is read. */
export interface World {
  readonly rows: number;
  readonly minRows: number; // fewer are never left by deletions
  readonly limit: number; // page size of the reader; the server may refuse it
  readonly concurrency: number;
  readonly kills: readonly Kill[]; // of each read but the last
  readonly changes: (choices: Choices, answers: number) => readonly Change[]; // after so many answers, before the next one
  readonly active: number; // answers after which the list rests
  readonly changesBetween: (choices: Choices) => readonly Change[]; // while no read runs
  readonly elsewhere: number; // percentage of the inserts that are not at the head
  readonly total: MemberRule;
  readonly size: (choices: Choices) => PageSize;
  readonly server: Partial<OffsetParameters>;
  readonly isInOrder: boolean; // answers to requests in flight come in their order
  readonly ignoresOffset: boolean;
  readonly copiesOf?: (row: number) => number; // further lines of a row
  readonly keyOf: (row: number) => number; // rows with one key are one row
  readonly textOf: (row: number, answer: number) => string | null; // of a row without a key
  readonly orderAt: Order;
  readonly leavesOut?: (row: number) => boolean; // rows that pages leave out after they were cut
}

/** After so many requests, or once a read has come to its end, and before it says so. */
export type Kill = number | 'at its end';

/** Rows are inserted, at an index, at the head or elsewhere, or deleted, at an index or anywhere. */
export interface Change {
  readonly kind: 'insert' | 'delete';
  readonly count: number;
  readonly at?: number;
}

/** The list as a request at an offset sees it. */
export type Order = (list: readonly number[], offset: number, choices: Choices) => readonly number[];

/** Returns how many rows the pages of a world have at most. */
export function pageSizeOf({ limit, server }: Pick<World, 'limit' | 'server'>): number {
  const { maxPerPage = Infinity, refusedAbove = Infinity } = server;
  const sizes = [limit, 25, 10, 5, 2].filter((size) => size <= Math.min(limit, refusedAbove));
  return Math.min(Math.max(...sizes), maxPerPage);
}

export const STILL_WORLD: World = {
  rows: 60,
  minRows: 1,
  limit: 10,
  concurrency: 1,
  kills: [],
  changes: () => [],
  active: Infinity,
  changesBetween: () => [],
  elsewhere: 0,
  total: 'right',
  size: () => wholePage,
  server: {},
  isInOrder: true,
  ignoresOffset: false,
  keyOf: (row) => row,
  textOf: () => null,
  orderAt: (list) => list,
};
