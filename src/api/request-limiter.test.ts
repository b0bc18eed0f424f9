import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { LIMITER_WINDOW_MS } from '../limits.ts';
import { createRequestLimiter } from './request-limits.ts';

const { signal } = new AbortController();

test('never more than the ceiling in any minute, in the order of the calls, and no later than need be', async () => {
  const calls = fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 60, size: 'max' });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 10 }), calls, async (perMinute, gaps) => {
      let now = 0;
      const sent: number[] = [];
      const turn = createRequestLimiter(
        perMinute,
        () => now,
        async (ms) => {
          // virtual time: the caller's turn comes at its own time
          sent.push(now + ms);
        },
      );
      for (const gap of gaps) {
        now += gap;
        const before = sent.length;
        await turn(signal);
        if (sent.length === before) sent.push(now);
      }
      expect(sent).toStrictEqual(sent.toSorted((a, b) => a - b));
      for (const [index, at] of sent.entries()) {
        const earlier = sent[index - perMinute];
        if (earlier !== undefined) expect(at - earlier).toBeGreaterThanOrEqual(60_000);
        const arrived = gaps.slice(0, index + 1).reduce((sum, gap) => sum + gap, 0);
        const least = Math.max(arrived, earlier === undefined ? 0 : earlier + LIMITER_WINDOW_MS);
        expect(at).toBe(least);
      }
    }),
    { numRuns: 2000 },
  );
});

test('without a ceiling nothing waits', async () => {
  const turn = createRequestLimiter(
    null,
    () => 0,
    async () => {
      throw new Error('nothing waits');
    },
  );
  const turns = Array.from({ length: 1000 }, () => turn(signal));
  await expect(Promise.all(turns)).resolves.toHaveLength(1000);
});

test('a turn that is given up rejects with the reason', async () => {
  const turn = createRequestLimiter(
    1,
    () => 0,
    async () => {
      throw new Error('given up');
    },
  );
  await turn(signal);
  await expect(turn(signal)).rejects.toThrow('given up');
});
