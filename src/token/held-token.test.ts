import { expect, test } from 'vitest';

import { GENERAL, HOUR, createBed } from './token-bed.test-support.ts';

test('whoever watches is told of each token that is used, whether it is new, and of its end, never of its text', async () => {
  const { start, clock, pass } = createBed();
  const first = start({});
  await first.bearer(GENERAL);
  await first.bearer(GENERAL);
  const endMs = clock.now() + 24 * HOUR;
  expect(first.held).toHaveLength(1);
  expect(Object.keys(first.held[0] ?? {}).toSorted()).toStrictEqual(['endMs', 'isOwn', 'scope']);
  expect(first.held[0]).toMatchObject({ scope: GENERAL, isOwn: true });
  expect(Math.abs(Number(first.held[0]?.endMs) - endMs)).toBeLessThan(HOUR);
  const second = start({});
  await second.bearer(GENERAL);
  expect(second.held).toStrictEqual([{ ...first.held[0], isOwn: false }]);
  await pass(25 * HOUR);
  await second.bearer(GENERAL);
  expect(second.held.map(({ isOwn }) => isOwn)).toStrictEqual([false, true]);
});

test('a kept token that lives out its time, because no other is to be had, is one that is used', async () => {
  const { start, pass } = createBed();
  await start({}).bearer(GENERAL);
  await pass(23 * HOUR);
  const { bearer, held } = start({ fates: ['unavailable', 'unavailable', 'unavailable'] });
  expect(await bearer(GENERAL)).toBe('API-1');
  expect(held.map(({ isOwn }) => isOwn)).toStrictEqual([false]);
});
