import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../property-runs.test-support.ts';
import type { TokenCache } from './cache.ts';
import { GENERAL, HOUR, MINUTE, MODULE, createHarness } from './harness.test-support.ts';
import type { TokenScope } from './rules.ts';

const DAY = 24 * HOUR;
const ODD_NAME: TokenScope = { audience: 'constructor', scopes: null, key: 'assets.audience' };
const OTHER_ODD_NAME: TokenScope = { audience: '__proto__', scopes: null, key: 'assets.audience' };
const SCOPED: TokenScope = { audience: 'API', scopes: ['AMAPI'], key: 'token.scopes' };

const offset = fc.oneof(
  fc.integer({ min: -2 * HOUR, max: 2 * HOUR }),
  fc.integer({ min: -2 * DAY, max: 2 * DAY }),
  fc.constantFrom(365 * DAY, -365 * DAY, 20 * MINUTE, 59 * MINUTE, 10_000),
);
const world = fc.record({
  scope: fc.constantFrom(GENERAL, MODULE, SCOPED, ODD_NAME, OTHER_ODD_NAME),
  offset,
  /** Whether the platform passes on a changed config, or the same one to every process. */
  config: fc.constantFrom('unchanged', 'updated'),
  before: fc.integer({ min: 0, max: 2 }),
  during: fc.integer({ min: 1, max: 5 }),
  after: fc.integer({ min: 1, max: 12 }),
  everyMs: fc.integer({ min: 0, max: 2 * MINUTE }),
});
/** The old token is dated later than the new one, but no longer in the future when the new one is announced. */
const renewedEarly = {
  scope: GENERAL,
  offset: 101,
  config: 'updated',
  before: 0,
  during: 1,
  after: 1,
  everyMs: 0,
};

test('property: a clock that was wrong costs at most two tokens of any kind, wherever they are stored', async () => {
  await fc.assert(
    fc.asyncProperty(world, async ({ scope, offset: wrongBy, config, before, during, after, everyMs }) => {
      const { start, clock, endpoint, pass } = createHarness();
      let known: TokenCache | undefined;
      const run = async (byMs: number): Promise<void> => {
        const given = known === undefined ? {} : { known };
        const one = start({ ...given, announces: true, now: () => clock.now() + byMs });
        const token = await one.getToken(scope);
        expect(endpoint.accepts(token)).toBe(true);
        if (config === 'updated' || known === undefined) known = one.announced.at(-1) ?? known;
        // the announced token replaces the one from the wrong clock
        if (config === 'updated') expect(JSON.stringify(known?.tokens)).toContain(`"${token}"`);
        await pass(everyMs);
      };
      for (let count = 0; count < before; count++) await run(0);
      for (let count = 0; count < during; count++) await run(wrongBy);
      for (let count = 0; count < after; count++) await run(0);
      expect(endpoint.requests()).toBeLessThanOrEqual(3);
      expect(endpoint.refusals()).toBe(0);
    }),
    { numRuns: runs(1500), examples: [[renewedEarly]] },
  );
});
