import { setTimeout as wait } from 'node:timers/promises';
import type { Scenario } from '../sandbox/client.ts';

/** New alarms that are older than the lookback, so that the next watermark passes them whenever the read began. */
export async function arriveYesterday(world: Scenario, count: number): Promise<void> {
  await world.arrive('alarms', { count, createdAt: new Date(Date.now() - 86_400_000).toISOString() });
}

/** Resolves when so many rows of alarms have been served, or `running` has ended before; throws what that throws. */
export async function alarmsServed(world: Scenario, rows: number, running: Promise<unknown>): Promise<void> {
  const ended = running.then(() => true);
  while ((await world.requests(0)).endpoints.alarms.rows < rows)
    if (await Promise.race([ended, wait(20, false)])) return;
}
