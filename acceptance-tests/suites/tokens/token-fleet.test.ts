import { expect, test } from 'vitest';
import { useTestBed } from '../../support/test-bed.ts';
import { runFleet } from './token-fleet.ts';
import type { Fleet, FleetFigures } from './token-fleet.ts';

/** `.ci/run` asks for 100. */
const processes = Number(process.env['TOKEN_PROCESSES'] ?? 12);
const bed = useTestBed();

const general = { kind: 'general' };
const scoped = { kind: 'scoped', scopes: ['AMAPI', 'UMAPI'] };
const byModule = { kind: 'module' };

/** A token of 24 hours serves 21.6 of them: 44 half hours. One of an hour serves 54 minutes: two half hours, per module. */
const perDay = Math.ceil(processes / 44);
const perHour = 2 * Math.ceil(processes / 2);

const halfHourly = { processes, atOnce: 1, everySeconds: 1800 };
const minutely = { processes: 18, atOnce: 1, everySeconds: 60 };
const atOnce = { processes: 20, atOnce: 20, everySeconds: 0 };

test.each<[token: object, Omit<Fleet, 'keeping'>, Fleet['keeping'], Partial<FleetFigures>]>([
  [general, halfHourly, 'file', { issued: perDay }],
  [scoped, halfHourly, 'file', { issued: perDay }],
  [byModule, halfHourly, 'file', { issued: perHour }],
  [general, halfHourly, 'config', { issued: perDay, announced: perDay }],
  [scoped, halfHourly, 'config', { issued: perDay, announced: perDay }],
  [byModule, halfHourly, 'config', { issued: perHour, announced: perHour }],
  // one asks for it, the others wait
  [general, atOnce, 'file', { issued: 1 }],
  [scoped, atOnce, 'file', { issued: 1 }],
  [byModule, atOnce, 'file', { issued: 2 }],
  // none can know of the others: what the limit allows, and clear failures beyond it
  [general, minutely, 'nowhere', { issued: 15, refused: 3, failed: 3, announced: 15 }],
  [general, atOnce, 'config', { issued: 15, refused: 5, failed: 5, announced: 15 }],
])('%j for %j, kept in %s: %j', async (token, fleet, keeping, expected) => {
  const world = await bed.world({ assets: 1, alarms: 1 });
  const figures = await runFleet(world, { ...fleet, keeping }, token);
  expect(figures).toStrictEqual({ refused: 0, failed: 0, announced: 0, ...expected });
});
