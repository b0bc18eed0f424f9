import type { OptionsPatch, Scenario } from '../../sandbox/client.ts';
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

/** How a world starts: the parts of a server that do not change while it runs. */
export function drawWorldKnobs(random: Random): OptionsPatch {
  return {
    tokenLimits: false,
    createdFormat: random.pick(['milliseconds', 'seconds', 'microseconds', 'epochMilliseconds', 'offset']),
    alarmsMaxPageSize: 10 + random.below(16),
    prettyPrint: random.once(4),
  };
}

/** How a server may answer differently from one day to the next, within docs/api.md. */
export function drawServerKnobs(random: Random): OptionsPatch {
  return {
    alarmsBound: random.pick(['inclusive', 'exclusive']),
    alarmsBoundPrecision: random.pick(['exact', 'second', 'minute']),
    alarmsCursorLifetimeSeconds: random.pick([null, 100]),
    alarmsExpiredCursor: random.pick(['refuse', 'firstPage']),
    alarmsEmptyPages: random.pick([0, 0.1]),
    alarmsEnd: random.pick(['empty', 'null', 'absent']),
    alarmsTrailingEmptyPage: random.once(2),
    assetsShortPages: random.pick([0, 0.1]),
    memberOrder: random.pick(['itemsFirst', 'metadataFirst']),
  };
}
