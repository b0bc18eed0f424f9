import { expect, test } from 'vitest';
import { createPageWindow, type PageWindow } from './window.ts';

interface Bed {
  readonly window: PageWindow<{ readonly offset: number }>;
  /** Requested offsets, in order. */
  readonly asked: number[];
  /** Offsets whose requests were aborted, in order. */
  readonly cut: number[];
  /** Delivers the answer to a request. */
  readonly answer: (offset: number) => void;
  readonly parent: AbortController;
}

/** A window on a list whose answers the test delivers. */
function bed(concurrency: number): Bed {
  const asked: number[] = [];
  const cut: number[] = [];
  const arrivals = new Map<number, () => void>();
  const parent = new AbortController();
  const requestPage = (offset: number, signal: AbortSignal): Promise<{ readonly offset: number }> =>
    new Promise((resolve, reject) => {
      asked.push(offset);
      const giveUp = (): void => {
        cut.push(offset);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', giveUp);
      arrivals.set(offset, () => {
        signal.removeEventListener('abort', giveUp);
        resolve({ offset });
      });
    });
  return {
    window: createPageWindow(requestPage, concurrency, parent.signal),
    asked,
    cut,
    answer: (offset) => arrivals.get(offset)?.(),
    parent,
  };
}

const AHEAD = { stride: 9, end: 1000, maxPages: 64 };

/** Takes pages of ten rows, one after the other, until as many as allowed are requested ahead. */
async function warmUp({ window, answer, asked }: Bed, pages: number): Promise<void> {
  const first = window.take(0);
  answer(0);
  await first;
  for (let offset = 9; offset <= 9 * pages; offset += 9) {
    const page = window.follow(offset, offset + 1, AHEAD);
    for (const each of asked) answer(each);
    await page;
  }
}

test('requests more pages ahead with each page that follows, at most as many at once as allowed', async () => {
  const opened = bed(8);
  const first = opened.window.take(0);
  expect(opened.asked).toStrictEqual([0]);
  opened.answer(0);
  await first;
  void opened.window.follow(9, 10, AHEAD);
  expect(opened.asked).toStrictEqual([0, 9, 18, 27]);
  const warm = bed(8);
  await warmUp(warm, 8);
  const before = warm.asked.length;
  void warm.window.follow(81, 82, AHEAD);
  expect(warm.asked.length - before).toBeLessThanOrEqual(8);
  expect(warm.asked.at(-1)).toBeGreaterThanOrEqual(81 + 8 * 9);
});

test.each([
  { what: 'the last row is all that follows', after: 9, end: 28, asked: [9, 18] },
  { what: 'the next page shows the last row', after: 9, end: 19, asked: [9] },
  { what: 'the end is reached', after: 27, end: 28, asked: [27] },
  { what: 'the list is longer than it states', after: 36, end: 28, asked: [36] },
  { what: 'the list states that it is empty', after: 0, end: 0, asked: [0] },
])('requests nothing beyond the end: $what', ({ after, end, asked }) => {
  const opened = bed(8);
  void opened.window.follow(after, after + 1, { ...AHEAD, end });
  expect(opened.asked).toStrictEqual(asked);
});

test('a page that was requested ahead is used if it overlaps the covered rows', async () => {
  const { window, asked, answer } = bed(4);
  const first = window.follow(0, 0, AHEAD);
  answer(0);
  await first;
  // the list has shrunk by three rows, and the page at 9 was requested already
  const next = window.follow(6, 10, AHEAD);
  answer(9);
  await expect(next).resolves.toMatchObject({ offset: 9 });
  expect(asked).not.toContain(6);
});

test('a gap is filled by one more page, and the pages after it are kept', async () => {
  const { window, asked, cut, answer } = bed(4);
  const first = window.follow(0, 0, AHEAD);
  answer(0);
  await first;
  const after = window.follow(9, 10, null);
  answer(9);
  const unused = await after;
  const filling = window.fillGap(5, unused);
  answer(5);
  await expect(filling).resolves.toMatchObject({ offset: 5 });
  await expect(window.follow(14, 15, null)).resolves.toBe(unused);
  const last = window.follow(18, 19, null);
  answer(18);
  await expect(last).resolves.toMatchObject({ offset: 18 });
  expect(cut).toStrictEqual([]);
  expect(asked.filter((offset) => offset === 9)).toHaveLength(1);
});

test('pages requested ahead are dropped if another offset is needed', async () => {
  const { window, asked, cut, answer } = bed(3);
  const first = window.follow(0, 0, AHEAD);
  answer(0);
  await first;
  const back = window.take(5);
  expect(cut).toStrictEqual([9, 18]);
  expect(asked.at(-1)).toBe(5);
  answer(5);
  await expect(back).resolves.toMatchObject({ offset: 5 });
});

test('in a list that moves, fewer pages are requested ahead', async () => {
  const opened = bed(8);
  await warmUp(opened, 12);
  const { window, asked, answer } = opened;
  const rounds = 99;
  const before = asked.length;
  for (let offset = 1000; offset <= rounds * 1000; offset += 1000) {
    const page = window.take(offset);
    answer(offset);
    await page;
    const next = window.follow(offset + 9, offset + 10, { ...AHEAD, end: Infinity });
    answer(offset + 9);
    await next;
  }
  // two of each round are needed
  expect(asked.length - before).toBeLessThan(3 * rounds + 16);
});

test("the read's signal aborts all requests in flight, even after a drop", async () => {
  const warnings: unknown[] = [];
  const warn = (warning: unknown): unknown => warnings.push(warning);
  process.on('warning', warn);
  const opened = bed(32);
  await warmUp(opened, 30);
  const { window, asked, cut, answer, parent } = opened;
  const back = window.take(5);
  answer(5);
  await back;
  asked.length = 0;
  cut.length = 0;
  const taken = window.follow(14, 15, AHEAD);
  await new Promise(setImmediate);
  parent.abort(new Error('stopped'));
  await expect(taken).rejects.toThrow('stopped');
  expect(cut).toStrictEqual(asked);
  await new Promise(setImmediate);
  process.off('warning', warn);
  expect(warnings).toStrictEqual([]);
});

test('aborts the requests ahead when it is closed', async () => {
  const opened = bed(8);
  await warmUp(opened, 3);
  await opened.window.follow(36, 37, AHEAD);
  opened.window.close();
  expect(opened.cut.length).toBeGreaterThan(0);
});
