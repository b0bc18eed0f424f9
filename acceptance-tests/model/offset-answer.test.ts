import { expect, test } from 'vitest';
import { wholePage } from './answer.ts';
import { ORDINARY_OFFSETS, newestFirst, offsetAnswer } from './offset-answer.ts';
import type { OffsetParameters, OffsetVariation } from './offset-answer.ts';

type Variation = OffsetVariation<number>;
const WHOLE: Variation = { size: wholePage, staleTotal: 9, ties: null };
/** Rows are created in pairs at the same time. */
const timeOf = (row: number): number => row >> 1;

/** The answer of a list of ten rows, 9 to 0, to a limit of four. */
const answer = (offset: number, parameters: Partial<OffsetParameters>, variation: Partial<Variation>) =>
  offsetAnswer(
    newestFirst([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
    { limit: 4, offset },
    { ...ORDINARY_OFFSETS, ...parameters },
    { ...WHOLE, ...variation },
  );

test.each<[string, number, Partial<OffsetParameters>, Partial<Variation>, number[]]>([
  ['the first page', 0, {}, {}, [9, 8, 7, 6]],
  ['the last page', 8, {}, {}, [1, 0]],
  ['a larger limit than the server grants', 2, { maxPerPage: 3 }, {}, [7, 6, 5]],
  ['a limit that is just allowed', 2, { refusedAbove: 4 }, {}, [7, 6, 5, 4]],
  ['a short page', 2, {}, { size: (granted) => granted - 2 }, [7, 6]],
  ['an empty page past the end', 10, {}, {}, []],
  ['the last page past the end', 10, { pastEnd: 'last page' }, {}, [3, 2, 1, 0]],
  ['the first page past the end', 99, { pastEnd: 'first page' }, {}, [9, 8, 7, 6]],
  ['a page cut off by the depth', 4, { depth: 6 }, {}, [5, 4]],
  ['a whole page across the depth', 4, { depth: 6, acrossDepth: 'whole' }, {}, [5, 4, 3, 2]],
  ['an empty page across the depth', 3, { depth: 6, acrossDepth: 'past the end' }, {}, []],
  ['a page that ends at the depth', 2, { depth: 6, acrossDepth: 'past the end' }, {}, [7, 6, 5, 4]],
  ['an empty page beyond the depth', 6, { depth: 6 }, {}, []],
  ['an empty page from the depth on', 6, { depth: 6, acrossDepth: 'whole' }, {}, []],
  ['the last page within the depth', 6, { depth: 6, pastEnd: 'last page' }, {}, [7, 6, 5, 4]],
  ['rows with equal times, moved by one', 3, {}, { ties: { timeOf, turn: 1 } }, [7, 4, 5, 2]],
  ['rows with equal times, moved by two', 3, {}, { ties: { timeOf, turn: 2 } }, [6, 5, 4, 3]],
])('%s', (_, offset, parameters, variation, rows) => {
  expect(answer(offset, parameters, variation)).toEqual({ rows, pagination: { totalCount: 10 } });
});

test('limits and offsets are refused with a status', () => {
  expect(answer(0, { refusedAbove: 3 }, {})).toMatchObject({ status: 400 });
  expect(answer(10, { pastEnd: 416 }, {})).toMatchObject({ status: 416 });
  expect(answer(6, { depth: 6, pastEnd: 404 }, {})).toMatchObject({ status: 404 });
});

test('an empty list has a first page', () => {
  const list = newestFirst<number>([]);
  const page = offsetAnswer(list, { limit: 4, offset: 0 }, { ...ORDINARY_OFFSETS, pastEnd: 404 }, WHOLE);
  expect(page).toEqual({ rows: [], pagination: { totalCount: 0 } });
});

test('each member of the pagination object is stated by its rule', () => {
  const right = { offset: 4, limit: 4, previousOffset: 0, nextOffset: 8, currentPage: 2, pageCount: 3 };
  const members = { ...right, totalCount: 10 };
  const stated = (rule: NonNullable<OffsetParameters['members']['offset']>) =>
    answer(
      4,
      { members: Object.fromEntries(Object.keys(members).map((member) => [member, rule])) },
      { size: (granted) => granted - 1 },
    );
  const all = (value: number | null | undefined) =>
    Object.fromEntries(Object.keys(members).map((member) => [member, value]));
  expect(stated('right')).toMatchObject({ pagination: members });
  expect(stated({ plus: -1 })).toMatchObject({ pagination: { offset: 3, totalCount: 9 } });
  expect(stated('too large')).toMatchObject({ pagination: { offset: 11, totalCount: 17 } });
  expect(stated('too small')).toMatchObject({ pagination: { offset: 2, previousOffset: 0, totalCount: 5 } });
  expect(stated('wrong')).toMatchObject({ pagination: { offset: 2, previousOffset: 1, totalCount: 5 } });
  const same = {
    absent: undefined,
    null: null,
    'minus one': -1,
    zero: 0,
    'what was shown': 7,
    'length of the page': 3,
    stale: 9,
    'start of the page': 4,
  };
  for (const [rule, value] of Object.entries(same))
    expect(stated(rule as keyof typeof same)).toEqual({ rows: [5, 4, 3], pagination: all(value) });
});

test('a server that counts along with the rows states no rows past the end', () => {
  const members = { totalCount: 'zero on empty pages' } as const;
  expect(answer(20, { members }, {})).toMatchObject({ rows: [], pagination: { totalCount: 0 } });
  expect(answer(4, { members }, {})).toMatchObject({ pagination: { totalCount: 10 } });
});

test('a page past the end states the offset that was requested, or where it starts', () => {
  const members = { offset: 'start of the page' } as const;
  expect(answer(20, { members, pastEnd: 'last page' }, {})).toMatchObject({ pagination: { offset: 6 } });
  expect(answer(20, { members }, {})).toMatchObject({ pagination: { offset: 20 } });
});
