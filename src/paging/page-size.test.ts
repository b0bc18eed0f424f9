import { expect, test } from 'vitest';

import { withAcceptedSize } from './page-size.ts';

class Refusal extends Error {}

function server(most: number): {
  asked: number[];
  fetch: (offset: number, limit: number) => Promise<number>;
} {
  const asked: number[] = [];
  return {
    asked,
    fetch: async (_offset, limit) => {
      asked.push(limit);
      if (limit > most) throw new Refusal(`at most ${most}`);
      return limit;
    },
  };
}

const isRefusal = (error: unknown): boolean => error instanceof Refusal;
const { signal } = new AbortController();
const silent = async (): Promise<void> => undefined;

test('a refused size is followed by smaller ones, and the accepted one is kept', async () => {
  const { asked, fetch } = server(100);
  const fetchPage = withAcceptedSize(fetch, 500, isRefusal, silent);
  await expect(fetchPage(0, signal)).resolves.toBe(100);
  await expect(fetchPage(100, signal)).resolves.toBe(100);
  expect(asked).toStrictEqual([500, 250, 200, 100, 100]);
});

test('if every size is refused, the first refusal is told', async () => {
  const fetchPage = withAcceptedSize(server(0).fetch, 500, isRefusal, silent);
  await expect(fetchPage(0, signal)).rejects.toThrow('at most 0');
});

test('a refusal after a page has come is about something else', async () => {
  let most = 1000;
  const fetch = async (_offset: number, limit: number): Promise<number> => {
    if (limit > most) throw new Refusal('offset too large');
    return limit;
  };
  const fetchPage = withAcceptedSize(fetch, 500, isRefusal, silent);
  await fetchPage(0, signal);
  most = 10;
  await expect(fetchPage(10_000, signal)).rejects.toThrow('offset too large');
});

test('what is no refusal is not retried', async () => {
  const fetchPage = withAcceptedSize(
    async () => {
      throw new Error('unavailable');
    },
    500,
    isRefusal,
    silent,
  );
  await expect(fetchPage(0, signal)).rejects.toThrow('unavailable');
});
