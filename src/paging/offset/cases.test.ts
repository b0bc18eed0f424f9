import { expect, test } from 'vitest';
import { otherOrderFrom } from './drawn-worlds.fake.ts';
import { readOffsetList } from './read.ts';
import { STILL_WORLD, type Change, type World } from './world.fake.ts';
import { readWorld } from './worlds.fake.ts';

const read = (world: Partial<World>) => readWorld({ ...STILL_WORLD, ...world }, 1, readOffsetList);
/** Changes after so many answers. */
const once =
  (changes: Readonly<Record<number, readonly Change[]>>): World['changes'] =>
  (_, answers) =>
    changes[answers] ?? [];
const insertedAtOnce: Change = { kind: 'insert', count: 100 };

test.each<[what: string, world: Partial<World>, most: number]>([
  ['a window of 10,000, and 9,990 rows', { rows: 9990, limit: 500, server: { window: 10_000 } }, 23],
  [
    'offsets rounded down',
    { rows: 1234, limit: 500, server: { maxPerPage: 100, offsets: 'rounded down' } },
    20,
  ],
  [
    'offsets that are refused',
    { rows: 1234, limit: 500, server: { maxPerPage: 100, offsets: 'refused' } },
    20,
  ],
  [
    'offsets rounded down, and no total',
    { rows: 1234, limit: 500, total: 'absent', server: { maxPerPage: 100, offsets: 'rounded down' } },
    20,
  ],
  [
    'offsets that are refused, and no total',
    { rows: 1234, limit: 500, total: 'absent', server: { maxPerPage: 100, offsets: 'refused' } },
    20,
  ],
  [
    '100,000 rows and offsets rounded down',
    { rows: 100_000, limit: 500, server: { offsets: 'rounded down' } },
    230,
  ],
  [
    'few rows and offsets that are refused',
    { rows: 5, limit: 500, total: 'absent', server: { offsets: 'refused' } },
    6,
  ],
  [
    'rows inserted by pages at a time',
    {
      rows: 300,
      limit: 20,
      total: 'absent',
      changes: once({ 5: [insertedAtOnce], 12: [insertedAtOnce], 13: [insertedAtOnce] }),
    },
    70,
  ],
  [
    'four requests in flight, no total, and its last page past the end',
    { rows: 400, limit: 100, total: 'absent', concurrency: 4, server: { pastEnd: 'last page' } },
    14,
  ],
])('a list with %s is read exactly', async (_, world, most) => {
  const { code, lost, repeated, requests, refused, outcome } = await read(world);
  expect({ code, lost, repeated, rows: outcome?.rows }).toMatchObject({ code: null, lost: 0, repeated: 0 });
  expect(requests).toBeLessThanOrEqual(most);
  expect(outcome?.isReordered).toBe(false);
  // the second page may show that only multiples are taken
  expect(refused.length).toBeLessThanOrEqual(world.server?.offsets === 'refused' ? 1 : 0);
});

test.each([10_000, 12_000])('a window of 10,000, and %i rows: the read says why it fails', async (rows) => {
  const { code, outcome } = await read({ rows, limit: 500, server: { window: 10_000 } });
  expect(code).toBe('limited');
  expect(outcome?.refusal?.words).toContain('offset + limit: must be at most 10000');
});

test('a total that counts the lines of a join is reached, and the lines are counted', async () => {
  // 100 rows, 130 lines
  const { code, lost, outcome } = await read({
    rows: 100,
    limit: 20,
    copiesOf: (row) => (row % 10 < 3 ? 1 : 0),
  });
  expect({ code, lost, rows: outcome?.rows, copies: outcome?.copies }).toStrictEqual({
    code: null,
    lost: 0,
    rows: 100,
    copies: 30,
  });
});

test('a list with repeated lines that lacks rows is not complete', async () => {
  const { code } = await read({
    rows: 100,
    limit: 20,
    total: { plus: 1 },
    copiesOf: (row) => (row % 10 < 3 ? 1 : 0),
  });
  expect(code).toBe('rows are missing');
});

test.each<[what: string, world: Partial<World>]>([
  [
    '650 of 1,300 rows of one instant come in another order from offset 650 on, and there is no total',
    {
      rows: 1300,
      limit: 100,
      total: 'absent',
      orderAt: otherOrderFrom(650, (row) => Math.max(row, 650), 1),
    },
  ],
  [
    '30 rows of one instant come in another order, and 12 rows that were read are deleted',
    {
      rows: 330,
      limit: 100,
      orderAt: otherOrderFrom(190, (row) => (row >= 120 && row < 150 ? 120 : row), 1),
      changes: once({ 3: [{ kind: 'delete', count: 12, at: 0 }] }),
    },
  ],
])('a complete read says that the order changed: %s', async (_, world) => {
  const { code, lost, outcome } = await read(world);
  expect({ code, isReordered: outcome?.isReordered }).toStrictEqual({ code: null, isReordered: true });
  expect(lost).toBeGreaterThan(0);
});
