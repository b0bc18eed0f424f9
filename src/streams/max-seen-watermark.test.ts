import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { readTime, writeTime } from '../paging/instant.ts';
import type { TimeFormat } from '../paging/instant.ts';
import { server } from './alarm-server.arbitraries.fake.ts';
import { createAlarmServer, idOf } from './alarm-server.fake.ts';
import type { AlarmServer } from './alarm-server.fake.ts';
import { timeOf } from './created-time.ts';

/** What others do: remember the greatest created time seen, ask from there, trust the server with the rest. */
async function maxSeenRead(
  api: AlarmServer,
  format: TimeFormat,
  since: string | null,
): Promise<{ emitted: number[]; since: string | null }> {
  const emitted: number[] = [];
  let newest = since;
  let after: string | null = null;
  do {
    const page = await api.fetchPage(after, since, new AbortController().signal);
    for (const row of page.rows) {
      emitted.push(idOf(row));
      const created = timeOf(row, 'createdDate')?.instant ?? 0n;
      if (newest === null || created > (readTime(newest)?.instant ?? 0n)) newest = writeTime(created, format);
    }
    after = page.next;
  } while (after !== null);
  return { emitted, since: newest };
}

describe('the properties bite', () => {
  test.each(['inclusive', 'exclusive'] as const)(
    'a watermark at the greatest time seen loses late rows, and doubles rows or loses ties, with %s bounds',
    async (bound) => {
      const found = async (
        wrong: (emitted: number[], expected: readonly number[]) => boolean,
      ): Promise<boolean> => {
        const property = fc.asyncProperty(server, async (options) => {
          const api = createAlarmServer({ ...options, bound, cursorLife: Number.POSITIVE_INFINITY });
          const first = await maxSeenRead(api, options.format, null);
          const expected = api.visible();
          const second = await maxSeenRead(api, options.format, first.since);
          expect(wrong([...first.emitted, ...second.emitted], expected)).toBe(false);
        });
        return (await fc.check(property, { numRuns: 1000, endOnFailure: true })).failed;
      };
      expect(await found((emitted, expected) => expected.some((id) => !emitted.includes(id)))).toBe(true);
      if (bound === 'inclusive')
        expect(await found((emitted) => new Set(emitted).size < emitted.length)).toBe(true);
    },
  );
});
