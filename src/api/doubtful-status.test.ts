import { expect, test } from 'vitest';

import { isConnectorError } from '../errors.ts';
import { startLoopback } from '../http/loopback.test-support.ts';
import type { ListClientParts } from './client.ts';
import { clientAt } from './client.test-support.ts';

const PAGE = '{"items":[{"assetId":"a"}],"metadata":{"pagination":{}}}';

/** What becomes of each `get` in turn: ok or the code of the error, and how many requests were sent in all. */
async function outcomes(
  statuses: readonly number[],
  gets: number,
  parts: Partial<ListClientParts>,
): Promise<[string[], number]> {
  let requests = 0;
  const { address } = await startLoopback((_, response) => {
    response.writeHead(statuses[requests++] ?? 200).end(PAGE);
  });
  const client = clientAt(address, parts);
  const found: string[] = [];
  for (let count = 0; count < gets; count++)
    found.push(
      await client
        .get(new URLSearchParams(), () => undefined, {
          signal: new AbortController().signal,
          onWait: async () => undefined,
        })
        .then(
          () => 'ok',
          (error: unknown) => (isConnectorError(error, null) ? error.code : String(error)),
        ),
    );
  return [found, requests];
}

test.each([400, 403, 404, 410, 302])(
  '%i is believed at once by a list that never answered',
  async (status) => {
    const [[first], requests] = await outcomes([status], 1, {});
    expect(first).not.toBe('ok');
    expect(requests).toBe(1);
  },
);

test.each([400, 403, 404, 410, 302])(
  '%i from a list that answered before is asked once more',
  async (status) => {
    expect(await outcomes([200, status, 200, status, status], 3, {})).toStrictEqual([
      ['ok', 'ok', expect.not.stringMatching('ok') as string],
      5,
    ]);
  },
);

test('401 is believed at once of a token that was never accepted, and may pass of one that was', async () => {
  expect(await outcomes([401, 200], 1, {})).toStrictEqual([['UNAUTHORIZED'], 1]);
  expect(await outcomes([200, 401, 401, 200, 401, 200], 3, {})).toStrictEqual([['ok', 'ok', 'ok'], 6]);
  expect(await outcomes([200, ...Array.from({ length: 9 }, () => 401)], 2, {})).toStrictEqual([
    ['ok', 'API_UNAVAILABLE'],
    7,
  ]);
});

test('of a refusal is told whether the same request was refused with this token before, and whether any was accepted', async () => {
  const told: object[] = [];
  const parts: Partial<ListClientParts> = {
    refused: async (refusal) => {
      told.push(refusal);
      return 'repeat';
    },
  };
  expect(await outcomes([401, 200, 401, 200, 401, 401, 200], 3, parts)).toStrictEqual([
    ['ok', 'ok', 'ok'],
    7,
  ]);
  expect(told).toStrictEqual([
    { token: 'token', wasAccepted: false, isRepeated: false },
    { token: 'token', wasAccepted: true, isRepeated: false },
    { token: 'token', wasAccepted: true, isRepeated: false },
    { token: 'token', wasAccepted: true, isRepeated: true },
  ]);
});
