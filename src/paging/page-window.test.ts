import { expect, test } from 'vitest';

import { createPageWindow } from './page-window.ts';
import type { PageWindow } from './page-window.ts';

interface Bed {
  readonly window: PageWindow<number>;
  /** Offsets asked for, in order. */
  readonly asked: number[];
  /** Offsets whose request was given up while it was in flight, in order. */
  readonly cut: number[];
  /** Lets the answer to a request arrive. */
  readonly answer: (offset: number) => void;
  readonly parent: AbortController;
}

/** A window on a list whose answers arrive when they are told to. */
function bed(concurrency: number): Bed {
  const asked: number[] = [];
  const cut: number[] = [];
  const arrivals = new Map<number, () => void>();
  const parent = new AbortController();
  const fetchPage = (offset: number, signal: AbortSignal): Promise<number> =>
    new Promise((resolve, reject) => {
      asked.push(offset);
      const giveUp = (): void => {
        cut.push(offset);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', giveUp);
      arrivals.set(offset, () => {
        signal.removeEventListener('abort', giveUp);
        resolve(offset);
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

test('asks ahead by the stride, and at the end for the last row, which shows that nothing follows', () => {
  const { window, asked } = bed(8);
  void window.take(9, { stride: 9, end: 40, most: 64 });
  expect(asked).toStrictEqual([9, 18, 27, 36, 39]);
});

test.each([
  { what: 'the last page asked for holds the last row alone', taken: 0, end: 28, asked: [0, 9, 18, 27] },
  { what: 'the end is reached', taken: 27, end: 28, asked: [27] },
  { what: 'the list is longer than it says', taken: 36, end: 28, asked: [36] },
  { what: 'it says that it is empty', taken: 0, end: 0, asked: [0] },
])('asks for nothing behind where $what', ({ taken, end, asked }) => {
  const opened = bed(8);
  void opened.window.take(taken, { stride: 9, end, most: 64 });
  expect(opened.asked).toStrictEqual(asked);
});

test('what is asked for ahead elsewhere is dropped, what comes after it is not', async () => {
  const { window, asked, cut, answer } = bed(3);
  const first = window.take(0, { stride: 9, end: 40, most: 64 });
  expect(asked).toStrictEqual([0, 9, 18]);
  answer(0);
  await expect(first).resolves.toBe(0);
  const back = window.take(5, null);
  expect(cut).toStrictEqual([9, 18, 27]);
  expect(asked.at(-1)).toBe(5);
  answer(5);
  await expect(back).resolves.toBe(5);
});

test('the signal of the read ends all that is in flight, after a drop too, however much it is', async () => {
  const warnings: unknown[] = [];
  const warn = (warning: unknown): unknown => warnings.push(warning);
  process.on('warning', warn);
  const { window, asked, cut, answer, parent } = bed(32);
  const first = window.take(0, { stride: 9, end: 40, most: 64 });
  answer(0);
  await first;
  const taken = window.take(100, { stride: 9, end: 1000, most: 64 });
  // what was dropped makes room once it has ended
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
