import { describe, expect, test } from 'vitest';
import { wholePage, type PageSize } from './answer.ts';
import { BOUNDS, withinBound, type BoundRule } from './bounds.ts';
import { ORDINARY_CURSORS, cursorAnswer, type Cursor, type CursorParameters } from './cursor-answer.ts';
import { orderOf, type Order } from './orders.ts';

interface Row {
  readonly number: number;
  readonly created: bigint;
}

const keys = {
  number: ({ number }: Row) => number,
  created: ({ created }: Row) => created,
  hash: ({ number }: Row) => (number * 7) % 10,
  isApart: ({ number }: Row) => number === 2,
};
const isBefore = orderOf('by created time', keys);

/** Rows created one ns apart. */
const listOf = (...numbers: number[]) => ({
  rows: numbers.map((number) => ({ number, created: BigInt(number) })),
  isBefore,
  timeOf: keys.created,
  isAscending: true,
});

const PLAIN: CursorParameters = {
  ...ORDINARY_CURSORS,
  maxPerPage: 3,
  life: { lifeMs: 100, dieBetweenReads: false, expired: 410 },
};

type Asked = Partial<{
  list: ReturnType<typeof listOf>;
  since: bigint | null;
  cursor: Cursor<Row> | null | undefined;
  limit: number;
  ms: number;
  read: number;
  size: PageSize;
}>;

const ask = (parameters: Partial<CursorParameters>, asked: Asked) => {
  const { list = listOf(1, 2, 3, 4, 5), cursor = null, since = null, limit = 9 } = asked;
  const given = 'cursor' in asked ? asked.cursor : cursor;
  const request = { limit, since, after: given === null ? null : 'text', cursor: given };
  const now = { ms: asked.ms ?? 0, read: asked.read ?? 0 };
  return cursorAnswer(list, request, { ...PLAIN, ...parameters }, now, asked.size ?? wholePage);
};

/** The numbers of the rows of a page and its next cursor; the status of a refusal. */
const shown = (parameters: Partial<CursorParameters>, asked: Asked) => {
  const answer = ask(parameters, asked);
  if ('status' in answer) return answer.status;
  const { rows, next, lastCursor } = answer;
  return [rows.map(({ number }) => number).join(' '), next === null ? lastCursor : 'more'];
};

const after = (parameters: Partial<CursorParameters>, asked: Asked): Cursor<Row> => {
  const answer = ask(parameters, asked);
  if ('status' in answer || answer.next === null) throw new Error('no cursor');
  return answer.next;
};

const life = (expired: CursorParameters['life']['expired']) => ({ life: { ...PLAIN.life, expired } });

describe('pages', () => {
  test('have at most as many rows as both sides allow', () => {
    expect(shown({}, {})).toEqual(['1 2 3', 'more']);
    expect(shown({}, { limit: 2 })).toEqual(['1 2', 'more']);
    expect(shown({ maxPerPage: 5 }, {})).toEqual(['1 2 3 4 5', '']);
    expect(shown({}, { size: (granted, rest) => (rest === 5 ? granted - 2 : 9) })).toEqual(['1', 'more']);
  });

  test.each([
    // a row before the place was deleted, and one inserted
    ['a place between rows', '2 4 5 6', '4 5 6'],
    ['a row number', '2 4 5 6', '6'],
    ['a page number', '2 4 5 6', '6'],
    ['a place between rows', '1 2 2.5 3 4 5', '4 5'],
    ['a row number', '1 2 2.5 3 4 5', '3 4 5'],
  ] as const)('after a cursor that is %s: %s', (kind, rows, page) => {
    const list = listOf(1, 2, 3, 4, 5);
    const cursor = after({ kind }, { list });
    const changed = {
      ...list,
      rows: rows
        .split(' ')
        .map((text) => ({ number: Number(text), created: BigInt(Math.floor(Number(text))) })),
    };
    expect(shown({ kind }, { list: changed, cursor })).toEqual([page, '']);
  });

  test('an empty page is not the end', () => {
    const cursor = after({}, { size: () => 0 });
    expect(cursor).toMatchObject({ after: null, index: 0, emptyPages: 1 });
    expect(shown({}, { cursor })).toEqual(['1 2 3', 'more']);
  });
});

describe('the last page', () => {
  test.each([
    ['empty', ''],
    ['null', null],
    ['absent', undefined],
  ] as const)('has a cursor that is %s', (lastCursor, text) => {
    expect(shown({ lastCursor, maxPerPage: 5 }, {})).toEqual(['1 2 3 4 5', text]);
  });

  test('may be empty, with no cursor or the one it was requested with', () => {
    const cursor = after({ maxPerPage: 5, lastCursor: 'empty page' }, {});
    expect(shown({ lastCursor: 'empty page' }, { cursor })).toEqual(['', '']);
    const other = after({}, {});
    const last = after({ lastCursor: 'the same cursor' }, { cursor: other });
    expect(shown({ lastCursor: 'the same cursor' }, { cursor: last })).toEqual(['', 'text']);
    expect(shown({ lastCursor: 'the same cursor', maxPerPage: 5 }, {})).toEqual(['1 2 3 4 5', '']);
  });
});

describe('cursors', () => {
  test('that were never issued are refused', () => {
    expect(shown({}, { cursor: undefined })).toBe(400);
  });

  test.each([
    [410, 410],
    ['empty last page', ['', '']],
    ['first page', ['2 3 4', 'more']],
    ['first page of everything', ['1 2 3', 'more']],
    ['half of the first page', ['2 3', 'more']],
  ] as const)('that are too old are answered with %s', (expired, answer) => {
    const cursor = after({}, { since: 2n });
    expect(shown(life(expired), { cursor, since: 2n, ms: 100 })).toEqual(['5', '']);
    expect(shown(life(expired), { cursor, since: 2n, ms: 101 })).toEqual(answer);
  });

  test('may die with the read that received them', () => {
    const cursor = after({}, {});
    expect(shown({}, { cursor, read: 1 })).toEqual(['4 5', '']);
    expect(shown({ life: { ...PLAIN.life, dieBetweenReads: true } }, { cursor, read: 1 })).toBe(410);
  });

  test.each([
    ['of the request', 5n, ['5', '']],
    ['of the request', null, ['5', '']],
    ['of the cursor', 5n, ['5', '']],
    ['must be equal', 5n, 400],
    ['must be equal', null, 400],
    ['must be equal', 2n, ['5', '']],
  ] as const)('and a bound %s: %s', (boundOfCursor, since, answer) => {
    const cursor = after({}, { since: 2n });
    expect(shown({ boundOfCursor }, { cursor, since })).toEqual(answer);
  });

  test('that are row numbers count the rows within the bound that applies', () => {
    const kind = 'a row number';
    const cursor = after({ kind }, { since: 2n });
    expect(shown({ kind }, { cursor })).toEqual(['4 5', '']);
    expect(shown({ kind, boundOfCursor: 'of the cursor' }, { cursor })).toEqual(['5', '']);
  });
});

describe('bounds', () => {
  test.each<[keyof typeof BOUNDS, readonly number[]]>([
    ['inclusive', [90_000, 90_001]],
    ['exclusive', [90_001]],
    ['cut to the second', [90_000, 90_001]],
    ['cut to the minute', [60_000, 89_999, 90_000, 90_001]],
    ['rounded to the minute', []],
    ['later minutes', []],
  ])('%s', (name, expected) => {
    const isIn = withinBound(90_000_000_000n, BOUNDS[name]);
    const times = [59_999, 60_000, 89_999, 90_000, 90_001];
    expect(times.filter((ms) => isIn(BigInt(ms) * 1_000_000n))).toEqual(expected);
    expect(isIn(120_000_000_000n)).toBe(true);
  });

  test('before 1970 are rounded down, too', () => {
    const rule: BoundRule = { unit: 60n, rounds: 'down', isExclusive: false };
    expect([-61n, -60n, -1n].map(withinBound(-1n, rule))).toEqual([false, true, true]);
  });

  test('leave out rows without a time, in a list of any order', () => {
    const list = {
      ...listOf(5, 1, 4, 2),
      isAscending: false,
      timeOf: ({ number, created }: Row) => (number === 4 ? null : created),
    };
    expect(shown({}, { list: list as never, since: 2n })).toEqual(['5 2', '']);
  });

  test('without rows may be refused, but only at the start of a chain', () => {
    expect(shown({}, { since: 6n })).toEqual(['', '']);
    expect(shown({ noRowsStatus: 404 }, { since: 6n })).toBe(404);
    expect(shown({ noRowsStatus: 404 }, { list: listOf() })).toEqual(['', '']);
    expect(shown({ noRowsStatus: 404 }, { since: 6n, cursor: after({}, {}) })).toEqual(['', '']);
  });
});

test.each<[Order, string]>([
  ['by created time', '1 3 2 0'],
  ['by arrival', '0 1 2 3'],
  ['descending', '0 2 3 1'],
  ['shuffled', '0 3 2 1'],
  ['old rows last', '1 3 0 2'],
  ['rows without a time last', '1 3 0 2'],
  ['rows without a time first', '2 1 3 0'],
])('order %s', (order, numbers) => {
  const rows = [9n, 5n, 7n, 5n].map((created, number) => ({ number, created }));
  const isFirst = orderOf(order, { ...keys, hash: ({ number }) => (number * 7) % 10 });
  const sorted = rows.toSorted((a, b) => Number(isFirst(b, a)) - Number(isFirst(a, b)));
  expect(sorted.map(({ number }) => number).join(' ')).toBe(numbers);
});
