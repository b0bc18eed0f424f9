import type { Scenario } from '../sandbox/client.ts';

/** Rows that changes concern: about one in a hundred. */
export function lively({ assets, alarms }: { readonly assets: number; readonly alarms: number }): number {
  return Math.ceil(Math.max(assets, alarms, 100) / 100);
}

/** What has changed so far, in rows. */
export interface Changes {
  readonly inserted: number;
  readonly deleted: number;
  readonly arrived: number;
}

/** Changes a world while it is read. */
export interface Disturbance {
  /** Told of each record; from time to time it changes the world before it resolves. */
  readonly record: () => Promise<void>;
  readonly done: () => Changes;
}

/** Changes at most, and the records between two of them at first; the distance doubles. */
const mostChanges = 10;
const firstDistance = 20;

/** Changes the world up to ten times while records come, early and late in a read; `amount` rows of each kind in all. */
export function createDisturbance(world: Scenario, amount: number): Disturbance {
  const share = Math.ceil(amount / mostChanges);
  let changes = 0;
  let inserted = 0;
  let deleted = 0;
  let arrived = 0;
  let records = 0;
  let next = firstDistance;
  return {
    record: async () => {
      records += 1;
      if (records < next || changes === mostChanges) return;
      next *= 2;
      changes += 1;
      inserted += (await world.insert('assets', { count: share })).length;
      deleted += (await world.delete('assets', { count: share, at: 'random' })).length;
      arrived += (await world.arrive('alarms', { count: share })).length;
    },
    done: () => ({ inserted, deleted, arrived }),
  };
}
