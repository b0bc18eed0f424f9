import type { Scenario } from '../sandbox/client.ts';

/** Changes at most, and the records between two of them at first; the distance doubles. */
const mostChanges = 10;
const firstDistance = 20;

/** Changes a world up to ten times while it is read, early and late in the read; `amount` rows of each kind in all. */
export function createDisturbance(world: Scenario, amount: number) {
  const count = Math.ceil(amount / mostChanges);
  const done = { inserted: 0, deleted: 0, arrived: 0 };
  let changes = 0;
  let records = 0;
  return {
    /** Told of each record; from time to time it changes the world before it resolves. */
    record: async (): Promise<void> => {
      records += 1;
      if (records < firstDistance * 2 ** changes || changes === mostChanges) return;
      changes += 1;
      done.inserted += (await world.insert('assets', { count })).length;
      done.deleted += (await world.delete('assets', { count, at: 'random' })).length;
      done.arrived += (await world.arrive('alarms', { count })).length;
    },
    /** What has changed so far, in rows. */
    done,
  };
}
