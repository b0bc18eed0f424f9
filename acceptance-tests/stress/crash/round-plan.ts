import type { Random } from '../../sandbox/data/random.ts';
import type { Cut } from '../../support/killed-process.ts';

/** One round, decided before it begins. */
export interface RoundPlan {
  /** Bytes of output at which the process is killed; infinite to let it finish. */
  readonly killAt: number;
  readonly cut: Cut;
  /** Changes of the world before the process starts. */
  readonly changesBefore: number;
  /** Bytes of output at each of which the world changes, ascending. */
  readonly changesAt: readonly number[];
  readonly concurrency: number;
  readonly assetsPageSize: number;
  /** Null: as many as the server gives. */
  readonly alarmsPageSize: number | null;
}

/** About the output of one uninterrupted first read: later changes and kills would rarely be reached. */
const longRound = 300_000;

/** Draws the next round; one that must finish is not killed. */
export function drawRound(random: Random, mustFinish: boolean): RoundPlan {
  const killAt = mustFinish ? Number.POSITIVE_INFINITY : drawKill(random);
  const changesAt = Array.from({ length: random.below(4) }, () =>
    random.below(Math.min(killAt, longRound)),
  ).toSorted((a, b) => a - b);
  return {
    killAt,
    cut: random.pick<Cut>(['byte', 'byte', 'byte', 'byte', 'byte', 'all', 'all', 'all', 'all', 'lineEnd']),
    changesBefore: random.below(3),
    changesAt,
    concurrency: 1 + random.below(8),
    assetsPageSize: 20 + random.below(31),
    alarmsPageSize: random.once(3) ? 5 + random.below(20) : null,
  };
}

/** Mostly within the first pages; sometimes before there is any record, sometimes far behind, sometimes never. */
function drawKill(random: Random): number {
  const kind = random.below(20);
  if (kind < 2) return 1 + random.below(1500);
  if (kind < 15) return 1 + random.below(60_000);
  if (kind < 19) return 1 + random.below(longRound);
  return Number.POSITIVE_INFINITY;
}
