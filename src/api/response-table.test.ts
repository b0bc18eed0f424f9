import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { isConnectorError } from '../errors.ts';
import { startRaw } from '../http/loopback.test-support.ts';
import { createPatience } from '../http/patience.ts';
import { BRIEF_ANSWER_MS, READ_BUDGET } from '../limits.ts';
import { clientAt, createRetry } from './client.test-support.ts';
import { ROWS } from './response-table.test-support.ts';

test.each(ROWS)('the connector: %s', async (_, response, _curl, _fetch, expected) => {
  const address = await startRaw(response, true);
  const patience = createPatience({
    ...READ_BUDGET,
    firstFailureMs: BRIEF_ANSWER_MS,
    rateLimitMs: 0,
    deadlineMs: 5000,
  });
  const retry = { ...createRetry(0), patience };
  const found = await clientAt(address, { retry })
    .get(new URLSearchParams(), () => undefined, {
      signal: new AbortController().signal,
      onWait: async () => undefined,
    })
    .then(
      ({ rows }) => (rows.length === 0 ? 'empty page' : 'page'),
      (error: unknown) => (isConnectorError(error, null) ? error.code : String(error)),
    );
  expect(found).toBe(expected === 'again' ? 'API_UNAVAILABLE' : expected);
});

test('the connector differs from a client only for a reason', () => {
  const differing = ROWS.filter(
    ([, , curl, fetched, connector, why]) =>
      why === '' && curl === 'page' && fetched === 'page' && !connector.endsWith('page'),
  );
  expect(differing.map(([what]) => what)).toStrictEqual([]);
  expect(ROWS.length).toBeGreaterThanOrEqual(40);
});

test.each(ROWS)('fetch: %s', async (_, response, _curl, expected) => {
  const address = await startRaw(response, true);
  const found = await fetch(address, { signal: AbortSignal.timeout(5000) }).then(
    async (answer) => {
      const body: unknown = await answer.json().catch(() => null);
      return answer.ok && body !== null ? 'page' : 'error';
    },
    () => 'error',
  );
  if (expected !== 'varies') expect(found).toBe(expected);
});

const noCurl = spawnSync('curl', ['--version']).error?.message ?? '';
const run = promisify(execFile);

describe(`curl${noCurl && `, skipped: ${noCurl}`}`, () => {
  test.skipIf(noCurl !== '').each(ROWS)('%s', async (_, response, expected) => {
    const address = await startRaw(response, true);
    const found = await run('curl', ['-sS', '--fail', '--compressed', '--max-time', '5', `${address}/`]).then(
      ({ stdout }) => isJson(stdout),
      () => false,
    );
    expect(found ? 'page' : 'error').toBe(expected);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
