import { afterAll, describe, expect, test } from 'vitest';

import { useTestBed } from '../../support/test-bed.ts';
import { runFleet } from './token-fleet.ts';
import type { Keeping } from './token-fleet.ts';

/** `.ci/run` asks for 100. */
const processes = Number(process.env['TOKEN_PROCESSES'] ?? 12);
const halfAnHour = 1800;
const bed = useTestBed();

const general = { kind: 'general' };
const scoped = { kind: 'scoped', scopes: ['AMAPI', 'UMAPI'] };
const byModule = { kind: 'module' };

/** A token of 24 hours serves 21.6 of them: 44 half hours. One of an hour serves 54 minutes: two half hours, per module. */
const perDay = Math.ceil(processes / 44);
const perHour = 2 * Math.ceil(processes / 2);

const rows: string[] = [];
afterAll(() => {
  console.log([`processes: ${processes}; tokens asked for`, ...rows].join('\n'));
});

function note(what: string, issued: number, refused: number, failed: number): void {
  rows.push(`${what.padEnd(48)}${issued + refused} (refused ${refused}, checks failed ${failed})`);
}

describe('one process every half hour', () => {
  test.each<{ kind: string; token: object; keeping: Keeping; tokens: number }>([
    { kind: 'general', token: general, keeping: 'file', tokens: perDay },
    { kind: 'general', token: general, keeping: 'config', tokens: perDay },
    { kind: 'scoped', token: scoped, keeping: 'file', tokens: perDay },
    { kind: 'scoped', token: scoped, keeping: 'config', tokens: perDay },
    { kind: 'module', token: byModule, keeping: 'file', tokens: perHour },
    { kind: 'module', token: byModule, keeping: 'config', tokens: perHour },
  ])('$kind token kept in the $keeping', async ({ kind, token, keeping, tokens }) => {
    const world = await bed.world({ assets: 1, alarms: 1 });
    const figures = await runFleet(world, { processes, atOnce: 1, everySeconds: halfAnHour, keeping }, token);
    note(`one every half hour, ${kind}, ${keeping}`, figures.issued, figures.refused, figures.failed);
    const announced = keeping === 'config' ? tokens : 0;
    expect(figures).toStrictEqual({ issued: tokens, refused: 0, failed: 0, announced });
  });

  test('general token kept nowhere: what the limit allows, and clear failures beyond it', async () => {
    const world = await bed.world({ assets: 1, alarms: 1 });
    const fleet = { processes: 18, atOnce: 1, everySeconds: 60, keeping: 'nowhere' } as const;
    const figures = await runFleet(world, fleet, general);
    note('18, one a minute, general, nowhere', figures.issued, figures.refused, figures.failed);
    expect(figures).toStrictEqual({ issued: 15, refused: 3, failed: 3, announced: 15 });
  });
});

describe('20 processes at once', () => {
  test.each<[kind: string, token: object, tokens: number]>([
    ['general', general, 1],
    ['scoped', scoped, 1],
    ['module', byModule, 2],
  ])('%s token kept in a file: one asks for it, the others wait', async (kind, token, tokens) => {
    const world = await bed.world({ assets: 1, alarms: 1 });
    const fleet = { processes: 20, atOnce: 20, everySeconds: 0, keeping: 'file' } as const;
    const figures = await runFleet(world, fleet, token);
    note(`20 at once, ${kind}, file`, figures.issued, figures.refused, figures.failed);
    expect(figures).toStrictEqual({ issued: tokens, refused: 0, failed: 0, announced: 0 });
  });

  test('with the config only, none can know of the others: the limit holds, and the rest fails clearly', async () => {
    const world = await bed.world({ assets: 1, alarms: 1 });
    const fleet = { processes: 20, atOnce: 20, everySeconds: 0, keeping: 'config' } as const;
    const figures = await runFleet(world, fleet, general);
    note('20 at once, general, config', figures.issued, figures.refused, figures.failed);
    expect(figures).toStrictEqual({ issued: 15, refused: 5, failed: 5, announced: 15 });
  });
});
