import type { Scenario } from '../../sandbox/client.ts';
import type { Choices } from '../../simulation/choices.ts';
import type { Cut } from '../../support/killed-process.ts';

const MAX_BYTES = 300_000; // about the output of an uninterrupted first read; later changes and kills would rarely occur
const MAX_LATE_SECONDS = 240; // the maximum delay of an alarm; the connector's lookback is 300 s

/** Draws a round. Positions are bytes of output; a round that must finish is not killed. */
export function drawRound(choices: Choices, mustFinish: boolean) {
  const { below, between, once, weighted } = choices;
  const killAt = mustFinish ? Number.POSITIVE_INFINITY : drawKill(choices);
  const changesAt = Array.from({ length: below(4) }, () => below(Math.min(killAt, MAX_BYTES)));
  return {
    killAt,
    changesAt: changesAt.toSorted((a, b) => a - b),
    cut: weighted<Cut>([5, 'byte'], [4, 'all'], [1, 'lineEnd']),
    changesBefore: below(3),
    concurrency: between(1, 8),
    assetsPageSize: between(20, 50),
    /** Undefined: the maximum of the server. */
    alarmsPageSize: once(3) ? between(5, 24) : undefined,
  };
}

/** Draws a position: usually in the first pages, sometimes before the first record, late or never. */
function drawKill({ below }: Choices): number {
  const kind = below(20);
  if (kind < 2) return 1 + below(1500);
  if (kind < 15) return 1 + below(60_000);
  return kind < 19 ? 1 + below(MAX_BYTES) : Number.POSITIVE_INFINITY;
}

/** Inserts or deletes assets, or adds alarms, some of them late, and advances the clock. */
export async function changeRows(world: Scenario, { below }: Choices): Promise<void> {
  const now = Date.parse(await world.advanceClock(below(60)));
  const kind = below(24);
  const count = 1 + below(6);
  if (kind < 7) await world.insert('assets', { count });
  else if (kind < 12) await world.delete('assets', { count, at: 'random' });
  else if (kind < 14) await world.delete('assets', { count, at: 'head' });
  else if (kind < 19) await world.arrive('alarms', { count: count * 4, spacingMs: below(3) });
  else if (kind < 23) {
    const createdAt = new Date(now - below(MAX_LATE_SECONDS) * 1000).toISOString();
    await world.arrive('alarms', { count, createdAt });
  } else {
    // more adjacent rows than a state contains, so that the position of a read may be lost
    const many = 40 + below(60);
    await world.delete('assets', { count: many, at: below(500) });
    await world.insert('assets', { count: many });
  }
}
