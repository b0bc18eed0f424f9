import type { Scenario } from '../../sandbox/client.ts';
import type { Random } from '../../sandbox/data/random.ts';

/** s by which an alarm may appear late; the connector's lookback is 300. */
const latestSeconds = 240;

/** Changes rows once: assets come in at the head or go anywhere, alarms arrive, some late; and the clock moves on. */
export async function changeRows(world: Scenario, random: Random): Promise<void> {
  await world.advanceClock(random.below(60));
  const kind = random.below(24);
  const count = 1 + random.below(6);
  if (kind < 7) await world.insert('assets', { count });
  else if (kind < 12) await world.delete('assets', { count, at: 'random' });
  else if (kind < 14) await world.delete('assets', { count, at: 'head' });
  else if (kind < 19) await world.arrive('alarms', { count: count * 4, spacingMs: random.below(3) });
  else if (kind < 23) await arriveLate(world, count, random.below(latestSeconds));
  else await replaceMany(world, random);
}

async function arriveLate(world: Scenario, count: number, seconds: number): Promise<void> {
  const now = Date.parse(await world.advanceClock(0));
  await world.arrive('alarms', { count, createdAt: new Date(now - seconds * 1000).toISOString() });
}

/** Takes away more rows in one place than a state knows, so that the place of a read may be lost. */
async function replaceMany(world: Scenario, random: Random): Promise<void> {
  const count = 40 + random.below(60);
  await world.delete('assets', { count, at: random.below(500) });
  await world.insert('assets', { count });
}
