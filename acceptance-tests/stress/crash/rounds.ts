import type { Scenario } from '../../sandbox/client.ts';
import type { Choices } from '../../simulation/choices.ts';
import type { Cut } from '../../support/killed-process.ts';

/** About the output of one uninterrupted first read: later changes and kills would rarely be reached. */
const LONG_ROUND = 300_000;
/** s by which an alarm may appear late; the connector's lookback is 300. */
const LATEST_SECONDS = 240;

/** One round, decided before it begins; one that must finish is not killed. Places are bytes of output. */
export function drawRound(choices: Choices, mustFinish: boolean) {
  const { below, between, once, weighted } = choices;
  const killAt = mustFinish ? Number.POSITIVE_INFINITY : drawKill(choices);
  const changesAt = Array.from({ length: below(4) }, () => below(Math.min(killAt, LONG_ROUND)));
  return {
    killAt,
    /** Where the world changes, ascending. */
    changesAt: changesAt.toSorted((a, b) => a - b),
    cut: weighted<Cut>([5, 'byte'], [4, 'all'], [1, 'lineEnd']),
    /** Before the process starts. */
    changesBefore: below(3),
    concurrency: between(1, 8),
    assetsPageSize: between(20, 50),
    /** As many as the server gives. */
    alarmsPageSize: once(3) ? between(5, 24) : undefined,
  };
}

/** Mostly within the first pages; sometimes before there is any record, sometimes far behind, sometimes never. */
function drawKill({ below }: Choices): number {
  const kind = below(20);
  if (kind < 2) return 1 + below(1500);
  if (kind < 15) return 1 + below(60_000);
  return kind < 19 ? 1 + below(LONG_ROUND) : Number.POSITIVE_INFINITY;
}

/** Changes rows once: assets come in at the head or go anywhere, alarms arrive, some late; and the clock moves on. */
export async function changeRows(world: Scenario, { below }: Choices): Promise<void> {
  const now = Date.parse(await world.advanceClock(below(60)));
  const kind = below(24);
  const count = 1 + below(6);
  if (kind < 7) await world.insert('assets', { count });
  else if (kind < 12) await world.delete('assets', { count, at: 'random' });
  else if (kind < 14) await world.delete('assets', { count, at: 'head' });
  else if (kind < 19) await world.arrive('alarms', { count: count * 4, spacingMs: below(3) });
  else if (kind < 23) {
    const createdAt = new Date(now - below(LATEST_SECONDS) * 1000).toISOString();
    await world.arrive('alarms', { count, createdAt });
  } else {
    // more rows in one place than a state knows, so that the place of a read may be lost
    const many = 40 + below(60);
    await world.delete('assets', { count: many, at: below(500) });
    await world.insert('assets', { count: many });
  }
}
