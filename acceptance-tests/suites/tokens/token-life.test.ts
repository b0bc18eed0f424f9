import { expect, test } from 'vitest';
import { fastTime } from '../../support/fast-time.ts';
import { rowSet } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';
import { start, useRowApi } from '../process/process-fixture.ts';
import { shiftedClock } from './shifted-clock.ts';

const bed = useTestBed();
const minute = 60;
const day = 24 * 60 * minute;

test('a read that outlives its tokens renews them in time: no request bears a dead one', async () => {
  const clock = shiftedClock();
  let seconds = 0;
  const issuedAt: number[] = [];
  const ages: number[] = [];
  const api = await useRowApi(500, 10, {
    token: (before, response) => {
      issuedAt[before] = seconds;
      return response.end(`{"accessToken":"token-${before}","expiresIn":3600}`).writableEnded;
    },
    assets: (_, { req }) => {
      ages.push(seconds - (issuedAt[Number(req.headers.authorization?.split('-')[1])] ?? Number.NaN));
      // fewer minutes between two requests than a token has left when it is renewed
      clock.advance(5 * minute);
      seconds += 5 * minute;
      return false;
    },
  });
  const assets = { ...api.config.assets, page_size: 10 };
  const config = { ...api.config, assets, token: { kind: 'module' }, concurrency: 1 };
  const { code, stderr, messages } = await (await start('read', config, { env: clock.env })).ended();
  expect([code, stderr]).toStrictEqual([0, '']);
  expect(messages.filter(({ type }) => type === 'RECORD')).toHaveLength(500);
  expect(ages.length).toBeGreaterThan(50);
  expect(Math.max(...ages)).toBeLessThan(60 * minute);
  expect(api.tokens()).toBeGreaterThan(4);
});

test('a short wait for the issuance limit is waited out, and told as a rate limit', async () => {
  const world = await bed.world({ assets: 20, alarms: 20, options: { retryAfter: 'seconds' } });
  const { auth_url, client_id: clientId, client_secret: clientSecret } = world.config;
  // another program with the same credential
  for (let taken = 0; taken < 15; taken++)
    await fetch(auth_url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clientId, clientSecret, audience: 'API' }),
    });
  await world.advanceClock(day - 5 * minute);
  let isTold = false;
  const run = await world.run('read', {
    env: fastTime(100),
    onLine: async ({ bytes }) => {
      if (isTold || !bytes.includes('RATE_LIMITED')) return;
      isTold = true;
      await world.advanceClock(5 * minute);
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
