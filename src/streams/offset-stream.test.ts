import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ListClient } from '../api/client.ts';
import { StatusError } from '../api/status-error.ts';
import { transientError } from '../errors.ts';
import { excerptOf } from '../http/response.ts';
import { createIdentities } from '../paging/identities.ts';
import { runs } from '../property-runs.test-support.ts';
import type { StreamState } from '../protocol/messages.ts';
import { BadPageError } from '../rows/page.ts';
import { rowOf, rowsOf } from '../rows/row.test-support.ts';
import type { Row } from '../rows/row.ts';
import { unrecognizable } from './messages/offset.ts';
import { identityOf, offsetStream } from './offset-stream.ts';

const silent = async (): Promise<void> => undefined;
const LIST = { name: 'assets', place: 'assets', path: '/v1/list', schema: { properties: {} } };
const KEY = 'assetId';
const keyOf = (row: Row): string | Buffer => identityOf(row, KEY);

/** True if the two items are the same asset. */
function areOne(one: string, other: string): boolean {
  const identities = createIdentities();
  return identities.ofText(keyOf(rowOf(one))) === identities.ofText(keyOf(rowOf(other)));
}

test.each([
  ['"7"', '"7"'],
  ['"7"', '"\\u0037"'],
  [`"${'7'.repeat(80)}"`, `"${'7'.repeat(80)}"`],
  ['7', '7'],
  ['9007199254740993', '9007199254740993'],
  ['0', '0'],
])('assets with the ids %s and %s are the same, whatever else changes', (one, other) => {
  expect(areOne(`{"assetId":${one},"seen":1}`, `{"seen":2,"assetId": ${other} }`)).toBe(true);
});

test.each([
  ['7', '"7"'],
  ['9007199254740993', '9007199254740992'],
  ['7', '-7'],
  ['"id:7"', '"7"'],
  ['"number:7"', '7'],
  ['7', '"id:7"'],
  ['"\\ud800"', '"\\ud801"'],
  ['"\\ud800"', '"\ufffd"'],
  ['"\\ud800"', '"\\\\ud800"'],
])('assets with the ids %s and %s are different', (one, other) => {
  expect(areOne(`{"assetId":${one}}`, `{"assetId":${other}}`)).toBe(false);
});

test.each(['null', 'true', '""', '[7]', '{"assetId":7}'])(
  '%s is not an id: the whole row identifies the asset',
  (id) => {
    expect(areOne(`{"assetId":${id},"seen":1}`, `{"assetId":${id},"seen":1}`)).toBe(true);
    expect(areOne(`{"assetId":${id},"seen":1}`, `{"assetId":${id},"seen":2}`)).toBe(false);
  },
);

test('ids are distinguished as in JSON', () => {
  const id = fc.oneof(fc.string({ maxLength: 60, unit: 'binary' }), fc.integer());
  fc.assert(
    fc.property(id, id, (one, other) => {
      const [first, second] = [JSON.stringify(one), JSON.stringify(other)];
      const isUsable = one !== '' && other !== '';
      expect(areOne(`{"assetId":${first}}`, `{"assetId":${second}}`)).toBe(one === other);
      if (isUsable) expect(areOne(`{"assetId":${first},"a":1}`, `{"assetId":${first},"a":2}`)).toBe(true);
    }),
    { numRuns: runs(1000) },
  );
});

test('the error for rows without an id names the missing field and the existing ones', () => {
  expect(unrecognizable(rowsOf(['{"assetId":"7"}', '{"assetId":7}']), KEY)).toBeNull();
  for (const id of ['""', 'null', 'true', '[7]'])
    expect(unrecognizable(rowsOf(['{"assetId":"7"}', `{"vin":"x","assetId":${id}}`]), KEY)).toMatch(
      /no "assetId" .* \(they have "vin", "assetId"\)/,
    );
});

test.each([
  [0, true],
  [null, true],
  [-1, true],
  [20, false],
  ['0', true],
  ['-1', true],
  ['20', false],
  ['20x', true],
])('a page that states offset %j when 0 was requested: accepted: %s', async (offset, isTaken) => {
  const check = await new Promise<() => void>((resolve) => {
    const client: ListClient = {
      get: async (_query, checkPage) => {
        resolve(() => checkPage({ rows: [], pagination: { offset: offset ?? undefined } }));
        return { rows: [], pagination: {}, serverTimeMs: undefined, sentAtMs: 0, receivedAtMs: 0 };
      },
    };
    const context = { signal: new AbortController().signal, info: silent, onWait: silent };
    const config = { id_field: KEY, page_size: 20, missing_rows: 'fail' as const, min_rows: 0 };
    const bounds = { concurrency: 1, maxAheadBytes: Infinity };
    void offsetStream(LIST, config, bounds, client).probe(context);
  });
  if (isTaken) expect(check).not.toThrow();
  else expect(check).toThrow(BadPageError);
});

/** Reads pages that the test provides, by offset; returns the number of rows emitted, the states and the warnings. */
async function readPages(
  textsAt: (offset: number) => readonly string[],
  total: unknown,
  {
    given = null,
    ...settings
  }: {
    readonly page_size: number;
    readonly missing_rows: 'fail' | 'warn';
    readonly given?: StreamState | null;
  },
) {
  let requests = 0;
  const client: ListClient = {
    get: async (query) => {
      requests++;
      return {
        rows: rowsOf(textsAt(Number(query.get('offset')))),
        pagination: { totalCount: total },
        serverTimeMs: undefined,
        sentAtMs: 0,
        receivedAtMs: 0,
      };
    },
  };
  const warnings: string[] = [];
  const states: StreamState[] = [];
  let emitted = 0;
  const config = { id_field: KEY, min_rows: 0, ...settings };
  const reading = offsetStream(LIST, config, { concurrency: 1, maxAheadBytes: Infinity }, client).read({
    syncMode: 'full_refresh',
    limitRows: null,
    state: given,
    signal: new AbortController().signal,
    now: () => 0,
    sleep: async () => undefined,
    info: silent,
    warn: async (words) => void warnings.push(words),
    onWait: silent,
  });
  let error: unknown = null;
  try {
    for await (const { rows, state } of reading) {
      emitted += rows.length;
      if (state !== null) states.push(state());
    }
  } catch (thrown) {
    error = thrown;
  }
  return { emitted, states, warnings, error, requests };
}

/** Reads a list of rows that the test provides, in pages of four. */
const readRows = (texts: readonly string[], total: unknown, missing_rows: 'fail' | 'warn') =>
  readPages((offset) => texts.slice(offset, offset + 4), total, { page_size: 4, missing_rows });

test('the state of a list by cursor that is read by offset now starts it over, with a warning', async () => {
  const given = { version: 2, created_since: '2026-01-01T00:00:00Z', seen: [], created_field: 'createdDate' };
  const texts = ['{"assetId":"1"}', '{"assetId":"2"}'];
  const settings = { page_size: 4, missing_rows: 'fail', given } as const;
  const { error, emitted, warnings } = await readPages((offset) => texts.slice(offset), 2, settings);
  expect([error, emitted, warnings]).toStrictEqual([
    null,
    2,
    [expect.stringMatching(/paged in another way/)],
  ]);
});

test.each([
  [500, true],
  [503, false],
])('a status %i that lasts beyond an offset may be a limit: %s', async (status, mayBe) => {
  const excerpt = excerptOf({ headers: {}, body: Buffer.from('Result window is too large') }, String);
  const failure = transientError('API_UNAVAILABLE', 'No.', new StatusError({ status, headers: {} }, excerpt));
  const textsAt = (offset: number): string[] => {
    if (offset > 0) throw failure;
    return ['{"assetId":"1"}', '{"assetId":"2"}', '{"assetId":"3"}', '{"assetId":"4"}'];
  };
  const { error, emitted } = await readPages(textsAt, 9, { page_size: 4, missing_rows: 'fail' });
  const hint = ' If it fails each time from offset 3 on, the service may limit how far the list can be read';
  expect(emitted).toBe(4);
  expect(error).toMatchObject({ code: 'API_UNAVAILABLE', cause: failure.cause });
  expect(String(error).includes(`No.${hint}`)).toBe(mayBe);
});

test('a list of rows without an id whose text changes fails with an explanation', async () => {
  let answers = 0;
  const textsAt = (offset: number): string[] => {
    const seen = answers++;
    const items = Array.from({ length: 50 }, (_, row) => `{"vin":"${row}","seen":${seen}}`);
    return items.slice(offset, offset + 20);
  };
  const settings = { page_size: 20, missing_rows: 'fail' } as const;
  const { error, requests, emitted, states } = await readPages(textsAt, 50, settings);
  expect(error).toMatchObject({
    code: 'PAGES_UNUSABLE',
    message: expect.stringContaining('no "assetId"') as string,
  });
  // a later read goes on from the last state
  expect(states.at(-1)).not.toMatchObject({ anchors: [] });
  expect(requests).toBeLessThan(100);
  expect(emitted).toBeLessThan(400);
});

describe('different assets with the same id on one page', () => {
  const texts = [0, 1, 2, 3, 4, 4, 5, 6, 7, 8].map((id, at) => `{"assetId":"${id}","vin":"${at}"}`);

  test.each([undefined, 8, 10, 12])('fail a read that cannot emit all of them (total %s)', async (total) => {
    const { error, states } = await readRows(texts, total, 'fail');
    expect(error).toMatchObject({
      code: 'ROWS_MISSING',
      message: expect.stringContaining('same "assetId"') as string,
    });
    // the next read must see them as well
    expect(states.at(-1)).toStrictEqual({ offset: 0, anchors: [] });
    expect(states.some(({ offset }) => Number(offset) > 6)).toBe(false);
  });

  test('are versions of one asset if the total says so', async () => {
    const { error, emitted, warnings } = await readRows(texts, 9, 'fail');
    expect({ error, emitted }).toStrictEqual({ error: null, emitted: 9 });
    expect(warnings).toStrictEqual([expect.stringContaining('the value "4" in "assetId"')]);
  });

  test('cause a warning if rows may be missing', async () => {
    const { error, emitted, warnings } = await readRows(texts, undefined, 'warn');
    expect({ error, emitted }).toStrictEqual({ error: null, emitted: 9 });
    expect(warnings).toStrictEqual([
      expect.stringContaining('the value "4" in "assetId"'),
      expect.stringContaining('same "assetId"'),
    ]);
  });

  test('are one asset if their texts are equal', async () => {
    const twice = texts.map((text, at) => (at === 5 ? (texts[4] ?? '') : text));
    const { error, emitted, warnings } = await readRows(twice, undefined, 'fail');
    expect({ error, emitted, warnings }).toStrictEqual({ error: null, emitted: 9, warnings: [] });
  });
});

describe('a list of three assets whose totalCount', () => {
  const texts = ['{"assetId":"0"}', '{"assetId":"1"}', '{"assetId":"2"}'];

  test.each([12, '12', '4', 1e3, '9007199254740991'])('is %j fails a read', async (total) => {
    const { error, emitted } = await readRows(texts, total, 'fail');
    expect({ error, emitted }).toMatchObject({ error: { code: 'ROWS_MISSING' }, emitted: 3 });
  });

  const odd = [undefined, null, true, [12], { count: 12 }, -1, 12.5, 2 ** 53];
  const words = [
    '',
    ' ',
    '12x',
    ' 12',
    '1e3',
    '-1',
    '+12',
    '12.0',
    '0x12',
    '1,200',
    '١٢',
    '9007199254740993',
  ];
  test.each([...odd, ...words])('is %j is read as if it had none', async (total) => {
    const { error, emitted, warnings } = await readRows(texts, total, 'fail');
    expect({ error, emitted, warnings }).toStrictEqual({ error: null, emitted: 3, warnings: [] });
  });
});
