import { array, assert, constantFrom, integer, nat, oneof, property, record } from 'fast-check';
import { expect, test } from 'vitest';
import { eachList } from '../lists.ts';
import { createRows, type Rows } from '../rows.ts';
import { cellsShown, coverage, goneShown, listHistory, pauseMs, type Numbered } from './coverage.ts';

function assetRows(assets: number): Rows {
  return createRows('assets', 7, { ...eachList(() => 0), assets });
}

function request(number: number, changes: Partial<Numbered>): Numbered {
  const at = new Date(1).toISOString();
  const known = { body: '', query: {}, status: 200, ms: 1, rows: 1, mark: 0 };
  return { number, at, endpoint: 'assets', ...known, ...changes };
}

const count = integer({ min: 1, max: 5 });
const steps = oneof(
  record({ insert: count }),
  record({ remove: count, at: oneof(constantFrom('head' as const, 'random' as const), nat(30)) }),
  record({ offset: nat(30), limit: integer({ min: 1, max: 12 }) }),
);

test('whatever the list does, a page covers the rows that it held', () => {
  assert(
    property(array(steps, { maxLength: 40 }), nat(25), nat(10), (changes, size, since) => {
      const assets = assetRows(size);
      const listed = (): number[] =>
        assets
          .living()
          .map(({ number }) => number)
          .toReversed();
      const requests: Numbered[] = [];
      const held: number[][] = [];
      const lived = [listed()];
      for (const now of changes) {
        const mark = lived.length;
        if ('offset' in now) {
          held.push(listed().slice(now.offset, now.offset + now.limit));
          const query = { offset: String(now.offset) };
          requests.push(request(requests.length, { query, rows: held.at(-1)?.length ?? 0, mark: mark - 1 }));
          continue;
        }
        if ('insert' in now) assets.add({ count: now.insert, spacingMs: 0 }, mark, mark);
        else assets.remove({ count: now.remove, at: now.at }, mark);
        lived.push(listed());
      }

      const history = listHistory(assets, since);
      const { from, cells } = history;
      expect(from).toBe(since);
      for (const [mark, rows] of lived.entries()) {
        const alive = cells.filter(({ birth, death }) => birth <= mark && death > mark);
        if (mark >= since) expect(alive.map(({ number }) => number)).toEqual(rows);
      }
      const { reads, pages } = coverage(history, requests);
      const drawn = requests.filter(({ rows, mark }) => rows > 0 && mark >= since);
      expect(pages.map(({ number }) => number)).toEqual(drawn.map(({ number }) => number));
      for (const { number: page, ranges } of pages) {
        const covered = ranges.flatMap(([start, end]) => cells.slice(start, end));
        expect(covered.map(({ number }) => number)).toEqual(held[page]);
      }
      const rowsDrawn = pages.reduce((sum, { rows }) => sum + rows, 0);
      expect(reads.reduce((sum, times) => sum + times, 0)).toBe(rowsDrawn);
    }),
  );
});

test('a pause parts two reads', () => {
  const history = listHistory(assetRows(10), 0);
  const numbers = (gapMs: number): number[] => {
    const second = request(1, { at: new Date(2 + gapMs).toISOString(), query: { offset: '5' } });
    return coverage(history, [request(0, {}), second]).pages.map(({ number }) => number);
  };
  expect([numbers(pauseMs), numbers(pauseMs + 1)]).toEqual([[0, 1], [1]]);
});

test('of a long list the head is shown, and what went of late', () => {
  const assets = assetRows(cellsShown + goneShown);
  for (let mark = 1; mark <= goneShown / 5 + 100; mark += 1) assets.remove({ count: 5, at: 0 }, mark);
  const { from, cells } = listHistory(assets, 0);
  expect([from, cells.length]).toEqual([100, cellsShown]);
  expect(cells.filter(({ death }) => Number.isFinite(death))).toHaveLength(goneShown);
});
