import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { LIMITER_WINDOW_MS } from '../limits.ts';
import { runs } from '../property-runs.test-support.ts';
import { createRequestLimiter } from './request-limits.ts';

const { signal } = new AbortController();

test('requests start in the order of the calls, as early as the limit per minute allows', async () => {
  const calls = fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 60, size: 'max' });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 10 }), calls, async (perMinute, gaps) => {
      let now = 0;
      const sent: number[] = [];
      const limitRate = createRequestLimiter(
        perMinute,
        () => now,
        async (ms) => {
          // virtual time does not advance here
          sent.push(now + ms);
        },
      );
      for (const gap of gaps) {
        now += gap;
        const before = sent.length;
        await limitRate(signal);
        if (sent.length === before) sent.push(now);
      }
      expect(sent).toStrictEqual(sent.toSorted((a, b) => a - b));
      for (const [index, at] of sent.entries()) {
        const earlier = sent[index - perMinute];
        if (earlier !== undefined) expect(at - earlier).toBeGreaterThanOrEqual(60_000);
        const arrived = gaps.slice(0, index + 1).reduce((sum, gap) => sum + gap, 0);
        const earliest = Math.max(arrived, earlier === undefined ? 0 : earlier + LIMITER_WINDOW_MS);
        expect(at).toBe(earliest);
      }
    }),
    { numRuns: runs(2000) },
  );
});

test('without a limit no request waits', async () => {
  const limitRate = createRequestLimiter(
    null,
    () => 0,
    async () => {
      throw new Error('nothing waits');
    },
  );
  const waits = Array.from({ length: 1000 }, () => limitRate(signal));
  await expect(Promise.all(waits)).resolves.toHaveLength(1000);
});

test('an aborted wait rejects with its reason', async () => {
  const limitRate = createRequestLimiter(
    1,
    () => 0,
    async () => {
      throw new Error('given up');
    },
  );
  await limitRate(signal);
  await expect(limitRate(signal)).rejects.toThrow('given up');
});
