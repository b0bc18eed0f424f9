import { array, assert, constantFrom, integer, nat, oneof, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eachList } from '../lists.ts';
import { createRows, type Rows } from '../rows.ts';
import { cellsShown, coverage, listHistory, pauseMs, type Numbered } from './coverage.ts';

function assetRows(count: number, seed: number): Rows {
  return createRows('assets', seed, { ...eachList(() => 0), assets: count });
}

const place = oneof(constantFrom('head' as const, 'random' as const), nat(30));
const step = oneof(
  record({ insert: integer({ min: 1, max: 5 }) }),
  record({ remove: integer({ min: 1, max: 5 }), at: place }),
  record({ offset: nat(30), limit: integer({ min: 1, max: 12 }) }),
);

function request(number: number, changes: Partial<Numbered>): Numbered {
  const at = new Date(number).toISOString();
  const query = { offset: '0' };
  const known = { path: '/v1/assets', method: 'GET', body: '', status: 200, ms: 1, rows: 1, mark: 0 };
  return { number, at, endpoint: 'assets', query, ...known, ...changes };
}

test('whatever the list does, a page covers the rows that it held', () => {
  assert(
    property(array(step, { maxLength: 40 }), nat(25), nat(10), (steps, size, since) => {
      const assets = assetRows(size, 7);
      const { list } = assets;
      const ids = (): number[] =>
        Array.from({ length: list.size() }, (_, position) => list.row(list.size() - 1 - position));
      const requests: Numbered[] = [];
      const held: number[][] = [];
      const lived = [{ mark: 0, rows: new Set(ids()) }];
      let mark = 0;
      for (const now of steps) {
        if ('offset' in now) {
          const rows = ids().slice(now.offset, now.offset + now.limit);
          requests.push(
            request(held.length, { query: { offset: String(now.offset) }, rows: rows.length, mark }),
          );
          held.push(rows);
          continue;
        }
        mark += 1;
        if ('insert' in now) assets.add({ count: now.insert, spacingMs: 0 }, mark, mark);
        else assets.remove({ count: now.remove, at: now.at }, mark);
        lived.push({ mark, rows: new Set(ids()) });
      }

      const history = listHistory(list, since);
      const { from, cells } = history;
      expect(from).toBe(since);
      const rowOf = identify(cells, ids());
      for (const { mark: then, rows } of lived.filter((life) => life.mark >= since)) {
        const alive = cells.filter(({ birth, death }) => birth <= then && death > then);
        expect(alive).toHaveLength(rows.size);
      }
      const { reads, pages } = coverage(history, requests);
      const drawn = requests.filter((asked) => asked.rows > 0 && asked.mark >= since);
      const inReach = drawn.filter(({ query }) => Number(query['offset']) < cells.length);
      expect(pages.map(({ number }) => number)).toEqual(inReach.map(({ number }) => number));
      const living = new Set(ids());
      for (const { number, rows, ranges } of pages) {
        const covered = ranges.flatMap(([start, end]) => rowOf.slice(start, end));
        expect(covered).toHaveLength(rows);
        expect(covered.filter((row) => row !== undefined)).toEqual(
          held[number]?.filter((row) => living.has(row)),
        );
      }
      expect(reads.reduce((sum, times) => sum + times, 0)).toBe(
        pages.reduce((sum, { rows }) => sum + rows, 0),
      );
    }),
  );
});

/** The living rows of the cells; undefined for those that are gone. */
function identify(cells: readonly { death: number }[], living: readonly number[]): (number | undefined)[] {
  let next = 0;
  return cells.map(({ death }) => {
    if (Number.isFinite(death)) return undefined;
    next += 1;
    return living[next - 1];
  });
}

describe('bounds', () => {
  test('a pause parts two reads', () => {
    const history = listHistory(assetRows(10, 1).list, 0);
    const numbers = (gapMs: number): number[] => {
      const at = new Date(1 + 1 + gapMs).toISOString();
      const second = request(1, { at, query: { offset: '5' } });
      return coverage(history, [request(0, { at: new Date(1).toISOString() }), second]).pages.map(
        ({ number }) => number,
      );
    };
    expect(numbers(pauseMs)).toEqual([0, 1]);
    expect(numbers(pauseMs + 1)).toEqual([1]);
  });

  test('of a long list the head is shown, and the removals of late', () => {
    const assets = assetRows(cellsShown + 500, 1);
    for (let mark = 1; mark <= 300; mark += 1) assets.remove({ count: 1, at: 0 }, mark);
    const { from, cells } = listHistory(assets.list, 0);
    expect(from).toBe(101);
    expect(cells).toHaveLength(cellsShown);
    expect(cells.filter(({ death }) => Number.isFinite(death))).toHaveLength(200);
  });
});
