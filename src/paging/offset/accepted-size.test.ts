import { expect, test } from 'vitest';
import { configError, isConnectorError } from '../../errors.ts';
import { createPageFetch, type PageSource } from './accepted-size.ts';

function server(maxLimit: number): {
  asked: number[];
  fetch: PageSource<number>['fetchPage'];
} {
  const asked: number[] = [];
  return {
    asked,
    fetch: async ({ limit }) => {
      asked.push(limit);
      if (limit > maxLimit) throw refusal(`at most ${maxLimit}`);
      return { rows: [limit], total: undefined, bytes: 0 };
    },
  };
}

const refusal = (words: string): Error => configError('REQUEST_REFUSED', words);
const unstopped = new AbortController().signal;
const refusalOf = (error: unknown): string | null =>
  isConnectorError(error, 'REQUEST_REFUSED') || isConnectorError(error, 'NOT_FOUND') ? error.message : null;
const sourceOf = (fetchPage: PageSource<number>['fetchPage']): PageSource<number> => {
  return { fetchPage, refusalOf, onRefusedSize: async () => undefined };
};

test('a refused size is followed by smaller ones, and the accepted one is kept', async () => {
  const { asked, fetch } = server(100);
  const told: number[] = [];
  const onRefusedSize = async (next: number): Promise<void> => void told.push(next);
  const fetchPage = createPageFetch(500, { ...sourceOf(fetch), onRefusedSize });
  await expect(fetchPage(0, unstopped, Infinity)).resolves.toMatchObject({ rows: [100] });
  await expect(fetchPage(100, unstopped, Infinity)).resolves.toMatchObject({ rows: [100] });
  expect(asked).toStrictEqual([500, 250, 200, 100, 100]);
  expect(told).toStrictEqual([250, 200, 100]);
});

test.each([5000, 2000, 1000, 500, 250, 200, 100, 50, 25, 10, 5, 2])(
  'a server that allows pages of %i rows, as some do, returns them',
  async (size) => {
    const fetchPage = createPageFetch(10_000, sourceOf(server(size).fetch));
    await expect(fetchPage(0, unstopped, Infinity)).resolves.toMatchObject({ rows: [size] });
  },
);

test('a refusal has no reason in the request once a size is accepted, unless an offset is asked for', async () => {
  const asked: [offset: number, limit: number, mayBeRefused: boolean][] = [];
  const fetchPage = createPageFetch(
    200,
    sourceOf(async ({ offset, limit, mayBeRefused }) => {
      asked.push([offset, limit, mayBeRefused]);
      if (limit > 100) throw refusal('at most 100');
      return { rows: [offset], total: 300, bytes: 0 };
    }),
  );
  for (const offset of [0, 99, 0]) await fetchPage(offset, unstopped, Infinity);
  expect(asked).toStrictEqual([
    [0, 200, true],
    [0, 100, true],
    [99, 100, true],
    [0, 100, false],
  ]);
});

test('if every size is refused, the first refusal is thrown', async () => {
  const fetchPage = createPageFetch(500, sourceOf(server(0).fetch));
  await expect(fetchPage(0, unstopped, Infinity)).rejects.toThrow('at most 0');
});

/** A server whose list has `rows` rows; it refuses later offsets, and pages of more than 100 rows. */
function refusingServer(rows: number, code: 'REQUEST_REFUSED' | 'NOT_FOUND') {
  const asked: string[] = [];
  const fetch: PageSource<number>['fetchPage'] = async ({ offset, limit }) => {
    asked.push(`${offset}/${limit}`);
    if (limit > 100) throw refusal('at most 100');
    if (offset >= rows) throw configError(code, 'there is no such offset');
    return { rows: [offset], total: rows, bytes: 0 };
  };
  return { asked, fetch };
}

test('a page of fewer rows than may be requested does not show that as many are accepted', async () => {
  const { asked, fetch } = server(6);
  const fetchPage = createPageFetch(8, sourceOf(fetch));
  await expect(fetchPage(10, unstopped, 5)).resolves.toMatchObject({ rows: [5] });
  await expect(fetchPage(10, unstopped, Infinity)).resolves.toMatchObject({ rows: [5] });
  expect(asked).toStrictEqual([5, 8, 8, 5, 5]);
});

test.each(['REQUEST_REFUSED', 'NOT_FOUND'] as const)(
  'after the first page, %s above offset 0 is a page without rows, and the page size is kept',
  async (code) => {
    const { asked, fetch } = refusingServer(250, code);
    const fetchPage = createPageFetch(200, sourceOf(fetch));
    await fetchPage(0, unstopped, Infinity);
    await expect(fetchPage(250, unstopped, Infinity)).resolves.toMatchObject({ rows: [], isRefused: true });
    await expect(fetchPage(100, unstopped, Infinity)).resolves.toMatchObject({ rows: [100] });
    expect(asked).toStrictEqual(['0/200', '0/100', '250/100', '100/100']);
  },
);

test.each(['REQUEST_REFUSED', 'NOT_FOUND'] as const)(
  'a resumed read whose place is refused with %s requests the first page before it treats the place as gone',
  async (code) => {
    const { asked, fetch } = refusingServer(250, code);
    await expect(createPageFetch(200, sourceOf(fetch))(900, unstopped, Infinity)).resolves.toMatchObject({
      rows: [],
    });
    expect(asked).toStrictEqual(['900/200', '0/200', '0/100', '900/100']);
  },
);

test.each(['REQUEST_REFUSED', 'NOT_FOUND'] as const)('%s of the first page is an error', async (code) => {
  const { fetch } = refusingServer(0, code);
  for (const offset of [0, 900])
    await expect(createPageFetch(100, sourceOf(fetch))(offset, unstopped, Infinity)).rejects.toMatchObject({
      code,
    });
});

test('a page that came with fewer rows does not show that the size is accepted, nor that a refusal is about the offset', async () => {
  const asked: string[] = [];
  const fetchPage = createPageFetch(
    400,
    sourceOf(async ({ offset, limit }) => {
      asked.push(`${offset}/${limit}`);
      if (asked.length === 1) return { rows: [offset], total: 300, bytes: 0, limit: 100 };
      if (limit > 100) throw refusal('at most 100');
      return { rows: [offset], total: 300, bytes: 0 };
    }),
  );
  for (const offset of [0, 99])
    await expect(fetchPage(offset, unstopped, Infinity)).resolves.toMatchObject({ rows: [offset] });
  expect(asked).toStrictEqual(['0/400', '99/400', '0/400', '0/250', '0/200', '0/100', '99/100']);
});

test('a refusal is about the offset if even the size that the first page came with is refused there', async () => {
  const asked: string[] = [];
  const fetchPage = createPageFetch(
    400,
    sourceOf(async ({ offset, limit }) => {
      asked.push(`${offset}/${limit}`);
      if (offset > 300) throw refusal('out of range');
      return { rows: [offset], total: 300, bytes: 0, limit: Math.min(limit, 100) };
    }),
  );
  await expect(fetchPage(900, unstopped, Infinity)).resolves.toMatchObject({ rows: [], isRefused: true });
  expect(asked).toStrictEqual(['900/400', '0/400', '900/100']);
});

/** A server that refuses requests beyond a window. */
function windowServer(window: number) {
  const asked: string[] = [];
  const fetch: PageSource<number>['fetchPage'] = async ({ offset, limit }) => {
    asked.push(`${offset}/${limit}`);
    if (offset + limit > window) throw refusal('the window is too large');
    return { rows: Array.from({ length: limit }, (_, index) => offset + index), total: 300, bytes: 0 };
  };
  return { asked, fetch };
}

/** A server of 250 rows, on pages of at most 99, that takes only some limits. */
function choosyServer(takes: (limit: number) => boolean) {
  const asked: string[] = [];
  const fetch: PageSource<number>['fetchPage'] = async ({ offset, limit }) => {
    asked.push(`${offset}/${limit}`);
    if (!takes(limit)) throw refusal('there is no such limit');
    if (offset >= 250) throw refusal('there is no such offset');
    const rows = Array.from({ length: Math.min(limit, 99, 250 - offset) }, (_, index) => offset + index);
    return { rows, total: 250, bytes: 0 };
  };
  return { asked, fetch };
}

test.each<[string, (limit: number) => boolean]>([
  ['certain limits', (limit) => [10, 25, 50, 100].includes(limit)],
  ['multiples of ten', (limit) => limit % 10 === 0],
  ['at least ten rows', (limit) => limit >= 10],
])(
  'a server that takes only %s gets the accepted size again, from then on for all pages',
  async (_, takes) => {
    const { asked, fetch } = choosyServer(takes);
    const fetchPage = createPageFetch(100, sourceOf(fetch));
    const limits = [];
    for (const [offset, atMost] of [
      [0, Infinity],
      [98, Infinity],
      [196, 7],
      [247, 3],
      [0, 6],
      [250, 3],
    ] as const)
      limits.push((await fetchPage(offset, unstopped, atMost)).limit);
    expect(limits).toStrictEqual([100, 100, 100, 100, 100, 100]);
    expect(asked).toStrictEqual(['0/100', '98/100', '196/7', '196/100', '247/100', '0/100', '250/100']);
  },
);

test('an offset is refused if the accepted size is refused there too, and smaller pages are still requested', async () => {
  const { asked, fetch } = windowServer(250);
  const fetchPage = createPageFetch(100, sourceOf(fetch));
  for (const [offset, atMost] of [
    [0, Infinity],
    [99, Infinity],
    [198, 60],
    [198, 52],
  ] as const)
    await fetchPage(offset, unstopped, atMost);
  expect(asked).toStrictEqual(['0/100', '99/100', '198/60', '198/100', '198/52']);
});

test('an error that is not a refusal is not retried', async () => {
  const fetchPage = createPageFetch(
    500,
    sourceOf(async () => {
      throw new Error('unavailable');
    }),
  );
  await expect(fetchPage(0, unstopped, Infinity)).rejects.toThrow('unavailable');
});

test.each([0, 99])('a failure that is no refusal is thrown at once, at offset %d', async (at) => {
  const asked: string[] = [];
  const fetchPage = createPageFetch(
    100,
    sourceOf(async ({ offset, limit }) => {
      asked.push(`${offset}/${limit}`);
      if (offset === at) throw configError('UNAUTHORIZED', 'not allowed');
      return { rows: [offset], total: 300, bytes: 0 };
    }),
  );
  if (at > 0) await fetchPage(0, unstopped, Infinity);
  await expect(fetchPage(at, unstopped, 50)).rejects.toThrow('not allowed');
  expect(asked.at(-1)).toBe(`${at}/50`);
  expect(asked).toHaveLength(at === 0 ? 1 : 2);
});

test('the first page is refused if the accepted size is, too', async () => {
  const asked: string[] = [];
  const fetchPage = createPageFetch(
    100,
    sourceOf(async ({ offset, limit }) => {
      asked.push(`${offset}/${limit}`);
      if (asked.length > 1) throw refusal('no longer');
      return { rows: [offset], total: 300, bytes: 0 };
    }),
  );
  await fetchPage(0, unstopped, Infinity);
  await expect(fetchPage(0, unstopped, 50)).rejects.toThrow('no longer');
  expect(asked).toStrictEqual(['0/100', '0/50', '0/100']);
});

test('a limit above one that was accepted is no reason for a refusal', async () => {
  const { asked, fetch } = windowServer(260);
  const fetchPage = createPageFetch(100, sourceOf(fetch));
  for (const [offset, atMost] of [
    [0, Infinity],
    [99, 60],
    [198, 50],
    [198, 70],
  ] as const)
    await fetchPage(offset, unstopped, atMost);
  expect(asked).toStrictEqual(['0/100', '99/60', '198/50', '198/70']);
});
