import type { AlarmsPlan } from './scenario-lists.ts';

/** Cursors that die. */
export function createCursors<Row>(plan: AlarmsPlan['cursors'], now: () => number) {
  const known = new Map<string, { behind: Row | null; issuedMs: number; read: number }>();
  let read = 0;
  return {
    /** A cursor behind a row, null for the start of the list. */
    issue: (behind: Row | null): string => {
      const name = `cursor-${known.size}-${'x'.repeat(known.size % 5)}`;
      known.set(name, { behind, issuedMs: now(), read });
      return name;
    },
    /** The row behind which a page starts, null for the first page; the status of a refusal. In calm none is dead. */
    find: (name: string | null, isCalm: boolean): Row | null | number => {
      if (name === null) return null;
      const cursor = known.get(name);
      if (cursor === undefined) return 400;
      const isDead = now() - cursor.issuedMs > plan.lifeMs || (plan.dieBetweenReads && cursor.read !== read);
      if (isDead && !isCalm) return plan.death === 'first page' ? null : plan.death;
      return cursor.behind;
    },
    nextRead: () => void read++,
  };
}
