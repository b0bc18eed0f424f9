import { describe, expect, test } from 'vitest';
import { explain, isCutOff, repeatsFirstPage, type Cause } from './explain.ts';
import { newPass, type FirstPage, type PageNote, type Pass } from './pass.ts';

const SIZE = 10;
const FIRST: FirstPage = { first: 1, count: SIZE, limit: SIZE, hasCursor: false };

/** A full page of other rows each time, which is not tied. */
const NOTE: PageNote = {
  offset: 9,
  limit: SIZE,
  total: undefined,
  isKeyless: false,
  isRefused: false,
  count: SIZE,
  first: 50,
  isTied: false,
  isRepeated: false,
  found: 0,
  isEnd: false,
};

const notes = (count: number, note: Partial<PageNote>): PageNote[] =>
  Array.from({ length: count }, (_, nth) => ({ ...NOTE, offset: 9 + nth, first: 50 + nth, ...note }));

const passWith = (seen: readonly PageNote[], pass: Partial<Pass>): Pass => ({
  ...newPass([]),
  granted: SIZE,
  reached: 40,
  mostCovered: 40,
  notes: seen,
  ...pass,
});

const IGNORED = { first: 1, total: 70 };
const CHANGES: Cause = 'the list changes too fast';
const RESTS: Cause = 'pages do not continue';

type Case = readonly [what: string, seen: readonly PageNote[], pass: Partial<Pass>, cause: Cause | null];

const KEYLESS: readonly Case[] = [
  [
    'three pages without keys show new rows',
    notes(3, { isKeyless: true, isTied: true, found: 1 }),
    {},
    'rows cannot be recognized',
  ],
  [
    'two do',
    [...notes(2, { isKeyless: true, isTied: true, found: 1 }), ...notes(1, { isTied: true })],
    {},
    CHANGES,
  ],
  ['no page without keys is tied', notes(3, { isKeyless: true }), {}, 'rows cannot be recognized'],
  [
    'those of a single row do not count',
    notes(3, { isKeyless: true, isTied: true, count: 1 }),
    {},
    'rows cannot be recognized',
  ],
  ['those of two do', notes(3, { isKeyless: true, isTied: true, count: 2 }), {}, CHANGES],
  [
    'rows have keys but on the first page',
    [...notes(1, { offset: 0, isKeyless: true }), ...notes(3, {})],
    {},
    CHANGES,
  ],
];

const IGNORING: readonly Case[] = [
  ['three pages are the first one', notes(3, IGNORED), {}, 'the offset is ignored'],
  ['two are', notes(2, IGNORED), {}, CHANGES],
  ['one of them begins with another row', [...notes(3, IGNORED), ...notes(1, { total: 70 })], {}, CHANGES],
  [
    'they are as much of it as was requested',
    notes(3, { ...IGNORED, limit: 4, count: 4 }),
    {},
    'the offset is ignored',
  ],
  ['they are less of it', notes(3, { ...IGNORED, count: 4 }), {}, CHANGES],
  ['they are the whole of a full page', notes(3, { first: 1, total: SIZE }), {}, 'the offset is ignored'],
];

const AT_REST: readonly Case[] = [
  ['pages come again', [...notes(3, {}), ...notes(3, {})], {}, RESTS],
  ['two of them do', [...notes(2, {}), ...notes(2, {})], {}, CHANGES],
  ['three do with another limit', [...notes(3, {}), ...notes(3, { limit: 9 })], {}, CHANGES],
  [
    'three do with other rows',
    [...notes(4, {}), ...notes(3, {}), ...notes(1, { first: 99, offset: 12 })],
    {},
    CHANGES,
  ],
  [
    'three do with fewer rows',
    [...notes(4, {}), ...notes(3, {}), ...notes(1, { first: 53, offset: 12, count: 9 })],
    {},
    CHANGES,
  ],
  [
    'three do with another total',
    [...notes(4, {}), ...notes(3, {}), ...notes(1, { first: 53, offset: 12, total: 9 })],
    {},
    CHANGES,
  ],
];

const covered = (count: number, total: number | undefined): PageNote[] =>
  notes(count, { offset: 30, first: 7, isTied: true, total });
const END = { isEnd: true, isTied: true };
const ENDED: readonly Case[] = [
  ['its end was shown four times', notes(4, END), {}, null],
  ['its end was shown three times', notes(3, END), {}, CHANGES],
  ['empty pages were shown, too', [...notes(4, END), ...notes(2, { count: 0 })], {}, null],
  ['tied pages without new rows were', [...notes(4, END), ...notes(1, { isTied: true })], {}, null],
  ['repeated pages were', [...notes(4, END), ...notes(1, { isRepeated: true })], {}, null],
  ['pages that are not tied were', [...notes(4, END), ...notes(1, {})], {}, CHANGES],
  ['tied pages with new rows were', [...notes(4, END), ...notes(1, { isTied: true, found: 1 })], {}, CHANGES],
  ['a list at rest shows covered rows alone', covered(4, 60), {}, null],
  ['three times', covered(3, 60), {}, CHANGES],
  ['and states no total', covered(4, undefined), {}, RESTS],
  ['other rows, too', [...covered(4, 60), ...notes(1, { total: 60 })], {}, RESTS],
];

const NOTHING: Cause = 'nothing is shown beyond an offset';
const empty = (count: number, offset: number, total: number | undefined): PageNote[] =>
  notes(count, { count: 0, first: undefined, offset, total });
const repeated = (count: number, offset: number, note: Partial<PageNote>): PageNote[] =>
  notes(count, { isRepeated: true, first: 7, offset, total: 70, ...note });

const refused = (count: number, offset: number, note: Partial<PageNote>): PageNote[] =>
  notes(count, { count: 0, first: undefined, isRefused: true, offset, ...note });

const HIDDEN: readonly Case[] = [
  ['four pages before the last row were refused, and no total is stated', refused(4, 38, {}), {}, NOTHING],
  ['three were', refused(3, 38, {}), {}, CHANGES],
  ['four that begin with the last row were', refused(4, 39, {}), {}, RESTS],
  [
    'four before it were, near a total',
    [...refused(4, 35, { total: 40 }), ...notes(1, { total: 41 })],
    {},
    RESTS,
  ],
  ['four pages are empty', empty(4, 50, 70), {}, NOTHING],
  ['three are', empty(3, 50, 70), {}, CHANGES],
  ['the last row is missing of a steady total', empty(4, 69, 70), {}, NOTHING],
  ['none is', empty(4, 70, 70), {}, RESTS],
  ['a page is missing of totals that change', [...empty(4, 60, 70), ...notes(1, { total: 69 })], {}, NOTHING],
  ['less is', [...empty(4, 61, 70), ...notes(1, { total: 69 })], {}, RESTS],
  [
    'an empty page states no total, and others do',
    [...empty(4, 60, undefined), ...notes(1, { total: 70, offset: 0 })],
    {},
    NOTHING,
  ],
  [
    'new rows were found there',
    [...empty(4, 50, 70), ...notes(1, { offset: 50, found: 1, total: 70, isTied: true })],
    {},
    CHANGES,
  ],
  [
    'new rows were found before',
    [...empty(4, 50, 70), ...notes(1, { offset: 49, found: 1, total: 70, isTied: true })],
    {},
    NOTHING,
  ],
  ['the same rows are shown four times', repeated(4, 60, {}), {}, NOTHING],
  ['the same rows are shown near the end', repeated(4, 61, {}), {}, RESTS],
  ['other rows are shown each time', [...repeated(4, 60, {}), ...repeated(1, 60, { first: 8 })], {}, CHANGES],
  ['pages of two rows repeat', repeated(4, 60, {}), { granted: 2 }, RESTS],
  [
    'pages were cut, and less than a page is missing',
    empty(4, 61, 70),
    { cutsPages: true },
    'rows are left out of pages',
  ],
  [
    'pages were cut, and a whole one is missing of the largest total',
    [...empty(4, 60, 70), ...notes(1, { total: 65 })],
    { cutsPages: true },
    NOTHING,
  ],
  ['pages were cut, and a whole one is missing', empty(4, 60, 70), { cutsPages: true }, NOTHING],
];

const ONE_ROW: readonly Case[] = [
  [
    'pages have one row',
    [...notes(2, { offset: 0, first: 1 }), ...notes(3, {})],
    { granted: 1 },
    'one row per page',
  ],
  ['none was shown at offset 0', notes(3, {}), { granted: 1 }, 'one row per page'],
  [
    'other ones come at offset 0',
    [...notes(2, { offset: 0 }), ...notes(1, { offset: 0, first: 99 })],
    { granted: 1 },
    CHANGES,
  ],
  ['pages have two rows', notes(3, {}), { granted: 2 }, CHANGES],
];

describe('the cause', () => {
  test.each([...KEYLESS, ...IGNORING, ...AT_REST, ...ENDED, ...HIDDEN, ...ONE_ROW])(
    'if %s',
    (_, seen, pass, cause) => {
      expect(explain(FIRST, null, passWith(seen, pass))?.cause ?? null).toBe(cause);
    },
  );

  test('is none if a short page that always comes is the whole list', () => {
    const seen = notes(3, { first: 1, count: 7, total: 7, offset: 6 });
    const first = { ...FIRST, count: 7 };
    expect(explain(first, null, passWith(seen, {}))).toBeNull();
    expect(
      explain(first, null, passWith([...seen, ...notes(1, { first: 1, count: 7, total: 8 })], {}))?.cause,
    ).toBe('the offset is ignored');
  });

  test.each([
    [55, CHANGES],
    [56, 'multiples of small pages'],
  ])('is the size of pages at multiples if they overlap no more, after %d rows', (reached, cause) => {
    expect(explain(FIRST, 5, passWith(notes(3, {}), { reached }))?.cause).toBe(cause);
  });

  test('comes with what was seen', () => {
    const seen = [...notes(1, { total: 69, offset: 12 }), ...empty(4, 50, 70), ...notes(1, { offset: 3 })];
    const pass = passWith(seen, { reached: 55, mostCovered: 52, pages: 77 });
    expect(explain({ ...FIRST, hasCursor: true }, null, pass)).toEqual({
      cause: NOTHING,
      hiddenFrom: 52,
      hasCursor: true,
      granted: SIZE,
      pages: 77,
      size: 52,
      total: 70,
      offsets: [12, 50, 50, 50, 50, 3],
    });
    expect(explain(null, null, passWith(seen, { reached: 48 }))).toMatchObject({
      hiddenFrom: 50,
      hasCursor: false,
    });
    expect(explain(null, null, passWith(notes(3, {}), {}))).toMatchObject({ hiddenFrom: null, total: null });
  });
});

test.each<
  [what: string, seen: readonly PageNote[], first: FirstPage | null, idle: number, isRepeated: boolean]
>([
  ['eight pages are it', notes(8, { first: 1 }), FIRST, 8, true],
  ['seven are', notes(7, { first: 1 }), FIRST, 8, false],
  ['one is another', [...notes(8, { first: 1 }), ...notes(1, {})], FIRST, 9, false],
  ['one was new', notes(8, { first: 1 }), FIRST, 7, false],
  ['they were at offset 0', notes(8, { first: 1, offset: 0 }), FIRST, 8, false],
  ['it has two rows', notes(8, { first: 1, count: 2, offset: 1 }), { ...FIRST, count: 2 }, 8, true],
  ['they were past its end', notes(8, { first: 1, offset: SIZE }), FIRST, 8, false],
  ['it has one row', notes(8, { first: 1, count: 1 }), { ...FIRST, count: 1 }, 8, false],
  ['there is none', notes(8, { first: 1 }), null, 8, false],
])('a pass does not wait for more than the first page if %s', (_, seen, first, idle, isRepeated) => {
  expect(repeatsFirstPage(first, passWith(seen, { idle }))).toBe(isRepeated);
});

test.each([
  [11, 10, true],
  [10, 10, false],
  [11, 9, false],
])('a pass up to %d with %d rows hidden is cut off: %s', (reached, hidden, isCut) => {
  expect(isCutOff({ reached, hidden, granted: SIZE })).toBe(isCut);
});
