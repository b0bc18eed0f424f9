import { expect, test } from 'vitest';
import { eachList } from '../lists.ts';
import type { LogEntry } from '../request-log.ts';
import { createRows, type Row } from '../rows.ts';
import { coverage, listHistory, maxCells, maxDeleted, pauseMs } from './coverage.ts';

const rowsOf = (assets: number) => createRows('assets', 7, { ...eachList(() => 0), assets });
const request = (number: number, atMs: number, held: readonly number[]): LogEntry => {
  const known = { endpoint: 'assets', query: {}, status: 200, ms: 1, mark: 0 } as const;
  return { ...known, number, at: new Date(atMs).toISOString(), rows: held.length, body: held.join(' ') };
};
const drawn = (cells: readonly Row[], requests: readonly LogEntry[]) =>
  coverage(cells, requests, ({ body }) => body.split(' ').map(Number));

test('a page covers its rows at their current positions after inserts and deletes', () => {
  const rows = rowsOf(6);
  const pages = [request(0, 1, [5, 4, 3]), request(1, 1, [3, 2]), request(2, 1, [9]), request(3, 1, [6, 5])];
  rows.add({ count: 2, spacingMs: 0 }, 1, 1);
  // row 3 is deleted at mark 2 and row 2 at mark 3: only the latter is shown
  rows.remove({ count: 1, at: 4 }, 2);
  rows.remove({ count: 1, at: 4 }, 3);
  const cells = listHistory(rows, 2);
  expect(cells.map(({ number }) => number)).toEqual([7, 6, 5, 4, 2, 1, 0]);
  const { reads, pages: shown } = drawn(cells, pages);
  expect(shown.map(({ number, ranges }) => [number, ranges])).toEqual([
    [0, [[2, 4]]],
    [1, [[4, 5]]],
    [3, [[1, 3]]],
  ]);
  expect(reads).toEqual([0, 1, 2, 1, 1, 0, 0]);
});

test('a pause separates two reads', () => {
  const cells = listHistory(rowsOf(10), 0);
  const numbers = (gapMs: number): number[] => {
    const { pages } = drawn(cells, [request(0, 1, [9]), request(1, 2 + gapMs, [4])]);
    return pages.map(({ number }) => number);
  };
  expect([numbers(pauseMs), numbers(pauseMs + 1)]).toEqual([[0, 1], [1]]);
});

test('shows the head of a long list and its latest deletions', () => {
  const rows = rowsOf(maxCells + maxDeleted);
  for (let mark = 1; mark <= maxDeleted / 5 + 100; mark += 1) rows.remove({ count: 5, at: 0 }, mark);
  const cells = listHistory(rows, 0);
  expect(cells).toHaveLength(maxCells);
  const deletions = cells.map(({ deletedAt }) => deletedAt).filter(Number.isFinite);
  expect([deletions.length, Math.min(...deletions)]).toEqual([maxDeleted, 101]);
});
