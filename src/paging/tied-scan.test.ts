import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { createIdentitySet } from './identities.ts';
import { scanTiedPages } from './tied-scan.ts';

const MB = 1024 * 1024;

test('what is fetched ahead stays below 64 MB, or is one page, however many may be in flight', async () => {
  const sizes = fc.record({
    bytes: fc.integer({ min: 1, max: 64 * MB }),
    concurrency: fc.integer({ min: 1, max: 32 }),
    rows: fc.integer({ min: 100, max: 2000 }),
  });
  let mostAhead = 0;
  await fc.assert(
    fc.asyncProperty(sizes, async ({ bytes, concurrency, rows }) => {
      const list = Array.from({ length: rows }, (_, row) => row);
      let asked = 0;
      let taken = 0;
      const pages = scanTiedPages<number>({
        fetchPage: async (offset) => {
          asked++;
          return { rows: list.slice(offset, offset + 20), total: rows, bytes };
        },
        identify: (row) => row,
        concurrency,
        start: 0,
        startPage: null,
        covered: createIdentitySet(),
        whyStrange: () => null,
        signal: new AbortController().signal,
      });
      for await (const page of pages) {
        taken++;
        expect(page.rows.length).toBeGreaterThan(0);
        // whoever writes them is slow
        await new Promise(setImmediate);
        const ahead = asked - taken;
        mostAhead = Math.max(mostAhead, ahead);
        if (ahead > 1) expect(ahead * bytes).toBeLessThanOrEqual(64 * MB);
      }
    }),
    { numRuns: 200 },
  );
  // the bound is on bytes, not on pages
  expect(mostAhead).toBeGreaterThan(32);
});
