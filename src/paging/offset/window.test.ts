import { expect, test } from 'vitest';
import type { FetchOffsetPage, OffsetPage } from './pages.ts';
import { newPass, type Pass } from './pass.ts';
import { createPageWindow, requestAt } from './window.ts';

interface Bed {
  readonly window: ReturnType<typeof createPageWindow<number>>;
  /** Requested offsets, in order. */
  readonly asked: number[];
  /** Offsets whose requests were aborted, in order. */
  readonly cut: number[];
  /** Delivers the answer to a request. */
  readonly answer: (offset: number) => void;
  readonly parent: AbortController;
}

/** A window on a list whose answers the test delivers. */
function bed(concurrency: number, bytes: number): Bed {
  const asked: number[] = [];
  const cut: number[] = [];
  const arrivals = new Map<number, () => void>();
  const parent = new AbortController();
  const fetchPage: FetchOffsetPage<number> = (offset, limit, signal) =>
    new Promise<OffsetPage<number>>((resolve, reject) => {
      asked.push(offset);
      const giveUp = (): void => {
        cut.push(offset);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', giveUp);
      arrivals.set(offset, () => {
        signal.removeEventListener('abort', giveUp);
        resolve({ rows: [offset], total: undefined, bytes, limit });
      });
    });
  const settings = { limit: 10, concurrency, maxAheadBytes: 1000, signal: parent.signal };
  return {
    window: createPageWindow(fetchPage, settings),
    asked,
    cut,
    answer: (offset) => arrivals.get(offset)?.(),
    parent,
  };
}

/** A pass in the middle of a long list, in pages of ten rows. */
const at = (offset: number, more: Partial<Pass>): Pass => ({
  ...newPass(offset, [], 0, false),
  granted: 10,
  ...more,
});

/** Takes full pages, one after the other; returns the offset that follows. */
async function take({ window, answer }: Bed, pages: number): Promise<number> {
  for (let page = 0; page < pages; page++) {
    const taken = window.next(at(9 * page, {}), page > 0);
    answer(9 * page);
    await taken;
    window.adapt(true);
  }
  return 9 * pages;
}

test('requests twice as many pages at once with each page that follows, and at most as many as allowed', async () => {
  const opened = bed(8, 1);
  await take(opened, 1);
  expect(opened.asked).toStrictEqual([0]);
  void opened.window.next(at(9, {}), true);
  expect(opened.asked).toStrictEqual([0, 9, 18]);
  const warm = bed(8, 1);
  const offset = await take(warm, 8);
  void warm.window.next(at(offset, {}), true);
  expect(warm.asked.at(-1)).toBeGreaterThanOrEqual(offset + 7 * 9);
});

test('requests no more bytes ahead than allowed', async () => {
  const opened = bed(8, 400);
  const offset = await take(opened, 8);
  void opened.window.next(at(offset, {}), true);
  expect(opened.asked.at(-1)).toBe(offset + 18);
});

test.each([
  { what: 'the last page may contain only the last row', offset: 9, total: 28, asked: [0, 9, 18] },
  { what: 'the next page is the last one', offset: 9, total: 18, asked: [0, 9] },
  { what: 'the list is longer than it states', offset: 36, total: 28, asked: [0, 36] },
])('requests nothing ahead from the stated end on: $what', async ({ offset, total, asked }) => {
  const opened = bed(8, 1);
  await take(opened, 1);
  void opened.window.next(at(offset, { total }), true);
  expect(opened.asked).toStrictEqual(asked);
});

test('a page that was requested ahead is used if it shows the wanted row', async () => {
  const opened = bed(4, 1);
  const { window, asked, answer } = opened;
  await take(opened, 2);
  const next = window.next(at(24, {}), false);
  answer(18);
  await expect(next).resolves.toMatchObject({ offset: 18 });
  expect(asked).not.toContain(24);
});

test.each([
  { what: 'before them, because rows were deleted', offset: 5, idle: 1 },
  { what: 'beyond them', offset: 60, idle: 0 },
])('pages requested ahead are dropped if the wanted row is $what', async ({ offset, idle }) => {
  const opened = bed(3, 1);
  await take(opened, 3);
  const { window, asked, cut, answer } = opened;
  const before = asked.length;
  const back = window.next(at(offset, { idle }), false);
  expect(cut).toStrictEqual([27, 36, 45]);
  await new Promise(setImmediate);
  expect(asked.slice(before)).toStrictEqual([offset]);
  answer(offset);
  await expect(back).resolves.toMatchObject({ rows: [offset] });
});

test('pages requested ahead are kept if a page before them ended early', async () => {
  const opened = bed(3, 1);
  await take(opened, 3);
  const { window, asked, cut, answer } = opened;
  const before = asked.length;
  const next = window.next(at(22, {}), false);
  // there is room for it once one of three requests has ended
  answer(27);
  await new Promise(setImmediate);
  answer(22);
  await expect(next).resolves.toMatchObject({ offset: 22 });
  const after = window.next(at(31, {}), false);
  await expect(after).resolves.toMatchObject({ offset: 27 });
  expect({ cut, asked: asked.slice(before) }).toStrictEqual({ cut: [], asked: [22] });
});

test("the read's signal aborts all requests in flight, even after a drop", async () => {
  const warnings: unknown[] = [];
  const warn = (warning: unknown): unknown => warnings.push(warning);
  process.on('warning', warn);
  const opened = bed(32, 1);
  await take(opened, 30);
  const { window, asked, cut, answer, parent } = opened;
  const back = window.next(at(5, { idle: 1 }), false);
  await new Promise(setImmediate);
  answer(5);
  await back;
  for (let page = 0; page < 6; page++) window.adapt(true);
  asked.length = 0;
  cut.length = 0;
  const taken = window.next(at(14, {}), true);
  await new Promise(setImmediate);
  parent.abort(new Error('stopped'));
  await expect(taken).rejects.toThrow('stopped');
  expect(asked).toHaveLength(32);
  expect(cut).toStrictEqual(asked);
  await new Promise(setImmediate);
  process.off('warning', warn);
  expect(warnings).toStrictEqual([]);
});

const PLAIN = { isAligned: false, granted: 10, isCounted: false, total: 25, room: 1, idle: 0 };

test.each([
  { pass: PLAIN, offset: 18, request: { offset: 18, limit: 10 } },
  { pass: { ...PLAIN, isCounted: true }, offset: 9, request: { offset: 9, limit: 10 } },
  { pass: { ...PLAIN, isCounted: true }, offset: 18, request: { offset: 18, limit: 8 } },
  { pass: { ...PLAIN, isCounted: true, room: 2 }, offset: 18, request: { offset: 18, limit: 9 } },
  { pass: { ...PLAIN, isCounted: true }, offset: 24, request: { offset: 24, limit: 2 } },
  { pass: { ...PLAIN, isCounted: true }, offset: 25, request: { offset: 25, limit: 10 } },
  { pass: { ...PLAIN, isAligned: true }, offset: 0, request: { offset: 0, limit: 10 } },
  { pass: { ...PLAIN, isAligned: true }, offset: 1, request: { offset: 0, limit: 10 } },
  { pass: { ...PLAIN, isAligned: true }, offset: 9, request: { offset: 9, limit: 9 } },
  { pass: { ...PLAIN, isAligned: true }, offset: 17, request: { offset: 16, limit: 8 } },
  { pass: { ...PLAIN, isAligned: true, granted: 4 }, offset: 17, request: { offset: 16, limit: 4 } },
])('the row at $offset is requested at $request.offset by $request.limit', ({ pass, offset, request }) => {
  expect(requestAt(pass, offset, 10)).toStrictEqual(request);
});
