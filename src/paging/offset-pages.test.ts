import { expect, test } from 'vitest';
import { configError, isConnectorError } from '../errors.ts';
import { createPageWindow, createPageFetch } from './offset-pages.ts';
import type { OffsetPage, PageSource, PageWindow } from './offset-pages.ts';

interface Bed {
  readonly window: PageWindow<number>;
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
  const fetchPage = (offset: number, signal: AbortSignal): Promise<OffsetPage<number>> =>
    new Promise((resolve, reject) => {
      asked.push(offset);
      const giveUp = (): void => {
        cut.push(offset);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', giveUp);
      arrivals.set(offset, () => {
        signal.removeEventListener('abort', giveUp);
        resolve({ rows: [offset], total: undefined, bytes: 0 });
      });
    });
  return {
    window: createPageWindow(fetchPage, concurrency, parent.signal),
    asked,
    cut,
    answer: (offset) => arrivals.get(offset)?.(),
    parent,
  };
}

test('prefetches by the stride, and finally the last row, which shows that nothing follows', () => {
  const { window, asked } = bed(8);
  void window.take(9, { stride: 9, end: 40, maxPages: 64 });
  expect(asked).toStrictEqual([9, 18, 27, 36, 39]);
});

test.each([
  { what: 'the last page contains only the last row', taken: 0, end: 28, asked: [0, 9, 18, 27] },
  { what: 'the end is reached', taken: 27, end: 28, asked: [27] },
  { what: 'the list is longer than it states', taken: 36, end: 28, asked: [36] },
  { what: 'the list states that it is empty', taken: 0, end: 0, asked: [0] },
])('prefetches nothing beyond the end if $what', ({ taken, end, asked }) => {
  const opened = bed(8);
  void opened.window.take(taken, { stride: 9, end, maxPages: 64 });
  expect(opened.asked).toStrictEqual(asked);
});

test('pages prefetched elsewhere are dropped, later ones are not', async () => {
  const { window, asked, cut, answer } = bed(3);
  const first = window.take(0, { stride: 9, end: 40, maxPages: 64 });
  expect(asked).toStrictEqual([0, 9, 18]);
  answer(0);
  await expect(first).resolves.toMatchObject({ rows: [0] });
  const back = window.take(5, null);
  expect(cut).toStrictEqual([9, 18, 27]);
  expect(asked.at(-1)).toBe(5);
  answer(5);
  await expect(back).resolves.toMatchObject({ rows: [5] });
});

test("the read's signal aborts all requests in flight, even after a drop", async () => {
  const warnings: unknown[] = [];
  const warn = (warning: unknown): unknown => warnings.push(warning);
  process.on('warning', warn);
  const { window, asked, cut, answer, parent } = bed(32);
  const first = window.take(0, { stride: 9, end: 40, maxPages: 64 });
  answer(0);
  await first;
  const taken = window.take(100, { stride: 9, end: 1000, maxPages: 64 });
  // dropped requests make room once they have ended
  await new Promise(setImmediate);
  const inFlight = asked.slice(asked.indexOf(100));
  expect(inFlight).toHaveLength(32);
  cut.length = 0;
  parent.abort(new Error('stopped'));
  await expect(taken).rejects.toThrow('stopped');
  expect(cut).toStrictEqual(inFlight);
  await new Promise(setImmediate);
  process.off('warning', warn);
  expect(warnings).toStrictEqual([]);
});

function server(maxLimit: number): {
  asked: number[];
  fetch: (offset: number, limit: number) => Promise<OffsetPage<number>>;
} {
  const asked: number[] = [];
  return {
    asked,
    fetch: async (_offset, limit) => {
      asked.push(limit);
      if (limit > maxLimit) throw refusal(`at most ${maxLimit}`);
      return { rows: [limit], total: undefined, bytes: 0 };
    },
  };
}

const refusal = (words: string): Error => configError('REQUEST_REFUSED', words);
const unstopped = new AbortController().signal;
const isRefusal = (error: unknown): boolean =>
  isConnectorError(error, 'REQUEST_REFUSED') || isConnectorError(error, 'NOT_FOUND');
const sourceOf = (fetchPage: PageSource<number>['fetchPage']): PageSource<number> => {
  return { fetchPage, isRefusal, info: async () => undefined };
};

test('a refused size is followed by smaller ones, and the accepted one is kept', async () => {
  const { asked, fetch } = server(100);
  const fetchPage = createPageFetch(500, sourceOf(fetch));
  await expect(fetchPage(0, unstopped)).resolves.toMatchObject({ rows: [100] });
  await expect(fetchPage(100, unstopped)).resolves.toMatchObject({ rows: [100] });
  expect(asked).toStrictEqual([500, 250, 200, 100, 100]);
});

test('if every size is refused, the first refusal is thrown', async () => {
  const fetchPage = createPageFetch(500, sourceOf(server(0).fetch));
  await expect(fetchPage(0, unstopped)).rejects.toThrow('at most 0');
});

/** A server whose list has `rows` rows; it refuses later offsets, and pages of more than 100 rows. */
function refusingServer(rows: number, code: 'REQUEST_REFUSED' | 'NOT_FOUND') {
  const asked: string[] = [];
  const fetch = async (offset: number, limit: number): Promise<OffsetPage<number>> => {
    asked.push(`${offset}/${limit}`);
    if (limit > 100) throw refusal('at most 100');
    if (offset >= rows) throw configError(code, 'there is no such offset');
    return { rows: [offset], total: rows, bytes: 0 };
  };
  return { asked, fetch };
}

test.each(['REQUEST_REFUSED', 'NOT_FOUND'] as const)(
  'after the first page, %s above offset 0 is a page without rows, and the page size is kept',
  async (code) => {
    const { asked, fetch } = refusingServer(250, code);
    const fetchPage = createPageFetch(200, sourceOf(fetch));
    await fetchPage(0, unstopped);
    await expect(fetchPage(250, unstopped)).resolves.toMatchObject({ rows: [], isRefused: true });
    await expect(fetchPage(100, unstopped)).resolves.toMatchObject({ rows: [100] });
    expect(asked).toStrictEqual(['0/200', '0/100', '250/100', '100/100']);
  },
);

test.each(['REQUEST_REFUSED', 'NOT_FOUND'] as const)(
  'a resumed read whose place is refused with %s requests the first page before it treats the place as gone',
  async (code) => {
    const { asked, fetch } = refusingServer(250, code);
    await expect(createPageFetch(200, sourceOf(fetch))(900, unstopped)).resolves.toMatchObject({ rows: [] });
    expect(asked).toStrictEqual(['900/200', '0/200', '0/100', '900/100']);
  },
);

test.each(['REQUEST_REFUSED', 'NOT_FOUND'] as const)('%s of the first page is an error', async (code) => {
  const { fetch } = refusingServer(0, code);
  for (const offset of [0, 900])
    await expect(createPageFetch(100, sourceOf(fetch))(offset, unstopped)).rejects.toMatchObject({ code });
});

test('an error that is not a refusal is not retried', async () => {
  const fetchPage = createPageFetch(
    500,
    sourceOf(async () => {
      throw new Error('unavailable');
    }),
  );
  await expect(fetchPage(0, unstopped)).rejects.toThrow('unavailable');
});
