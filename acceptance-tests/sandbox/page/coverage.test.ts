import { expect, test } from 'vitest';
import { eachList } from '../lists.ts';
import type { LogEntry } from '../request-log.ts';
import { createRows, type Row } from '../rows.ts';
import { coverage, idleMs, listHistory, maxCells, maxDeleted, ofLastClient, pauseMs } from './coverage.ts';

const rowsOf = (assets: number) => createRows('assets', 7, { ...eachList(() => 0), assets });
const request = (number: number, atMs: number, held: readonly number[]): LogEntry => {
  const known = { endpoint: 'assets', query: {}, status: 200, ms: 1, mark: 0, idleMs: 0 } as const;
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
  const cells = listHistory(rows, 2, undefined);
  expect(cells.map(({ number }) => number)).toEqual([7, 6, 5, 4, 2, 1, 0]);
  const { reads, pages: shown } = drawn(cells, pages);
  expect(shown.map(({ number, ranges }) => [number, ranges])).toEqual([
    [0, [[2, 4]]],
    [1, [[4, 5]]],
    [3, [[1, 3]]],
  ]);
  expect(reads).toEqual([0, 1, 2, 1, 1, 0, 0]);
});

/** The numbers of the requests of the last client, of two requests with a gap between them. */
function lastOfTwo(gapMs: number, idle: number): number[] {
  const requests = [{ ...request(1, 2 + gapMs, [4]), idleMs: idle }, request(0, 1, [9])];
  return ofLastClient(requests).map(({ number }) => number);
}

test('a pause, or a time without a connection, separates two clients', () => {
  expect([lastOfTwo(pauseMs, 0), lastOfTwo(pauseMs + 1, 0)]).toEqual([[0, 1], [1]]);
  expect([lastOfTwo(5, idleMs), lastOfTwo(5, idleMs + 1)]).toEqual([[0, 1], [1]]);
  expect(ofLastClient([])).toEqual([]);
});

test('the part of a long list that is shown follows the last page', () => {
  const rows = rowsOf(3 * maxCells);
  const shown = (near: number | undefined): (number | undefined)[] => {
    const cells = listHistory(rows, 0, near);
    expect(cells).toHaveLength(maxCells);
    return [cells[0]?.number, cells.at(-1)?.number];
  };
  expect(shown(undefined)).toEqual([11_999, 8000]);
  expect(shown(11_999)).toEqual([11_999, 8000]);
  expect(shown(9000)).toEqual([9999, 6000]);
  expect(shown(2000)).toEqual([3999, 0]);
  expect(shown(0)).toEqual([3999, 0]);
  rows.remove({ count: 1, at: 6000 }, 1);
  expect(listHistory(rows, 0, 5000).filter(({ until }) => Number.isFinite(until))).toHaveLength(1);
  expect(listHistory(rows, 0, 0).filter(({ until }) => Number.isFinite(until))).toHaveLength(0);
});

test('shows the head of a long list and its latest deletions', () => {
  const rows = rowsOf(maxCells + maxDeleted);
  for (let mark = 1; mark <= maxDeleted / 5 + 100; mark += 1) rows.remove({ count: 5, at: 0 }, mark);
  const cells = listHistory(rows, 0, undefined);
  expect(cells).toHaveLength(maxCells);
  const deletions = cells.map(({ until }) => until).filter(Number.isFinite);
  expect([deletions.length, Math.min(...deletions)]).toEqual([maxDeleted, 101]);
});
