import { mkdtemp, readFile, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

import type { FaultPlace } from '../../sandbox/client.ts';
import { fastTime } from '../../support/fast-time.ts';
import { errors, rowSet } from '../../support/run-views.ts';
import type { Run } from '../../support/run-connector.ts';
import { useTestBed } from '../../support/test-bed.ts';
import type { TestWorld } from '../../support/test-bed.ts';
import { startSerialRelay } from './serial-relay.ts';
import { shareClock } from './shifted-clock.ts';

const bed = useTestBed();
const hours = 3600;

async function newFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'token-life-'));
}

function verdict(run: Run): string {
  const message = run.messages.find(({ type }) => type === 'CONNECTION_STATUS');
  return message?.type === 'CONNECTION_STATUS'
    ? `${message.connectionStatus.status}: ${message.connectionStatus.message ?? ''}`
    : 'none';
}

function smallPages({ config }: TestWorld): object {
  return { ...config, assets: { ...config.assets, page_size: 10 } };
}

async function statusCounts(world: TestWorld): Promise<object> {
  const { endpoints } = await world.requests();
  return { assets: Object.keys(endpoints.assets.byStatus), alarms: Object.keys(endpoints.alarms.byStatus) };
}

/** Takes tokens as another program with the same credential would. */
async function takeTokens(world: TestWorld, audience: string, count: number): Promise<void> {
  const { auth_url, client_id, client_secret } = world.config;
  for (let taken = 0; taken < count; taken++)
    await fetch(auth_url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clientId: client_id, clientSecret: client_secret, audience }),
    });
}

describe.concurrent('the file', () => {
  test.concurrent('is for this user alone and never holds the secret', async () => {
    const world = await bed.world({ assets: 1, alarms: 1 });
    const folder = join(await newFolder(), 'made', 'anew');
    await world.run('check', { env: { SOURCE_TRAILER_DATA_CACHE: folder } });
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    const [file = '', ...others] = await readdir(folder);
    expect(others).toStrictEqual([]);
    expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(folder, file), 'utf8')).not.toContain(world.config.client_secret);
  });

  test.concurrent('without a home the connector works', async () => {
    const world = await bed.world({ assets: 1, alarms: 1 });
    const run = await world.run('check', { env: { HOME: '', SOURCE_TRAILER_DATA_CACHE: '' } });
    expect(verdict(run)).toMatch(/^SUCCEEDED/);
  });
});

describe.concurrent('renewal', () => {
  test.concurrent(
    'in the middle of a read that outlives its tokens: exact rows, and no request with a dead token',
    async () => {
      const world = await bed.world({ assets: 300, alarms: 900, options: { alarmsMaxPageSize: 10 } });
      const clock = shareClock(world, await newFolder());
      const { origin } = new URL(world.config.assets.base_url);
      let requests = 0;
      // some minutes between two requests now and then, fewer than a token has left when it is renewed
      const relay = await startSerialRelay(origin, async () => {
        if (++requests % 4 === 0) await clock.advance(5 * 60);
      });
      const over = (address: string): string => address.replace(origin, relay.url);
      const { assets, alarms } = world.config;
      const run = await world.run('read', {
        config: {
          ...world.config,
          assets: { ...assets, base_url: over(assets.base_url), page_size: 10 },
          alarms: { ...alarms, base_url: over(alarms.base_url) },
          token: { kind: 'module' },
          concurrency: 1,
        },
        env: clock.env,
      });
      await relay.close();
      expect(run.code).toBe(0);
      const truth = await world.groundTruth();
      expect(rowSet(run, 'assets')).toStrictEqual(truth.assets);
      expect(rowSet(run, 'alarms')).toStrictEqual(truth.alarms);
      expect(await statusCounts(world)).toStrictEqual({ assets: ['200'], alarms: ['200'] });
      expect((await world.tokenRequests()).length).toBeGreaterThan(4);
      expect((await world.requests()).tokens.refused).toBe(0);
    },
  );
});

describe.concurrent('a token that died early', () => {
  test.concurrent('is replaced by one new one, at any concurrency', async () => {
    const world = await bed.world({ assets: 200, alarms: 200 });
    const env = { SOURCE_TRAILER_DATA_CACHE: await newFolder() };
    const config = { ...smallPages(world), concurrency: 16 };
    await world.run('check', { env });
    // the world goes on without the connector's clock, so that its token looks valid
    await world.advanceClock(25 * hours);
    const clock = shareClock(world, await newFolder());
    await clock.advance(120);
    const run = await world.run('read', { config, env: { ...env, ...clock.env } });
    expect(run.code).toBe(0);
    expect(rowSet(run, 'assets')).toStrictEqual((await world.groundTruth()).assets);
    expect(await world.tokenRequests()).toHaveLength(2);
  });
});

describe.concurrent('a token that a gateway refuses for a moment', () => {
  test.concurrent.each<[at: FaultPlace, keptSeconds: number | null]>([
    ['middle', null],
    ['last', null],
    ['first', 3],
    ['first', hours],
  ])('at the %s page, kept for %s s: it is sent once more, and nothing is burnt', async (at, keptSeconds) => {
    const world = await bed.world({ assets: 60, alarms: 60, options: { alarmsMaxPageSize: 10 } });
    const clock = shareClock(world, await newFolder());
    const env = { ...clock.env, SOURCE_TRAILER_DATA_CACHE: await newFolder() };
    if (keptSeconds !== null) {
      await world.run('check', { env });
      await clock.advance(keptSeconds);
    }
    const plan = { fault: 'status401', at, times: 1 } as const;
    await world.faults({ assets: plan, alarms: plan });
    const run = await world.run('read', { config: smallPages(world), env });
    expect(run.code).toBe(0);
    expect((await world.faultReport()).hits).toMatchObject({ assets: 1, alarms: 1 });
    expect(rowSet(run, 'assets')).toStrictEqual((await world.groundTruth()).assets);
    expect(rowSet(run, 'alarms')).toStrictEqual((await world.groundTruth()).alarms);
    expect(await world.tokenRequests()).toHaveLength(1);
  });
});

describe.concurrent('the issuance limit', () => {
  test.concurrent(
    'used up by others: a clear failure that names the time, and nobody asks again',
    async () => {
      const world = await bed.world({ assets: 1, alarms: 1 });
      await takeTokens(world, 'API', 15);
      const before = (await world.tokenRequests()).length;
      const env = { SOURCE_TRAILER_DATA_CACHE: await newFolder() };
      for (const command of ['check', 'check'] as const) {
        const run = await world.run(command, { env });
        expect(verdict(run)).toMatch(
          /^FAILED: auth_url: the limit of token requests is reached.*15 tokens a day for API.* The next token may be asked for at 20\d\d-\d\d-\d\dT[\d:]+Z \(in 24 h 1 min\)/,
        );
      }
      const read = await world.run('read', { env });
      expect(read.code).toBe(1);
      expect(errors(read).map(({ failure_type }) => failure_type)).toStrictEqual([
        'transient_error',
        'transient_error',
      ]);
      expect(await world.tokenRequests()).toHaveLength(before + 1);
    },
  );

  test.concurrent('a short wait is waited out, and told as a rate limit', async () => {
    const world = await bed.world({ assets: 20, alarms: 20, options: { retryAfter: 'seconds' } });
    await takeTokens(world, 'API', 15);
    await world.advanceClock(24 * hours - 300);
    let isTold = false;
    const run = await world.run('read', {
      env: fastTime(500),
      onLine: async ({ bytes }) => {
        if (isTold || !bytes.includes('RATE_LIMITED')) return;
        isTold = true;
        await world.advanceClock(300);
      },
    });
    expect(run.code).toBe(0);
    const reasons = run.messages.flatMap((message) =>
      message.type === 'TRACE' && message.trace.type === 'STREAM_STATUS'
        ? (message.trace.stream_status.reasons ?? [])
        : [],
    );
    expect(reasons.length).toBeGreaterThan(0);
    for (const { type, rate_limited } of reasons) {
      expect(type).toBe('RATE_LIMITED');
      expect(rate_limited?.quota_reset).toBeGreaterThan(Date.now() - 60_000);
    }
    expect(rowSet(run, 'assets')).toStrictEqual((await world.groundTruth()).assets);
  });
});
