/** How long cursors live, and what becomes of a request with a dead one: a status, or the first page as if none had been sent. */
export interface CursorLife {
  /** ms after which a cursor is dead. */
  readonly lifeMs: number;
  /** True if those of earlier reads are dead too. */
  readonly dieBetweenReads: boolean;
  readonly death: 400 | 404 | 410 | 'first page';
}

export function createCursors<R>(life: CursorLife, now: () => number) {
  const known = new Map<string, { behind: R | null; issuedMs: number; read: number }>();
  let read = 0;
  return {
    /** A cursor behind a row, null for the start of the list. */
    issue: (behind: R | null): string => {
      const name = `cursor-${known.size}-${'x'.repeat(known.size % 5)}`;
      known.set(name, { behind, issuedMs: now(), read });
      return name;
    },
    /** The row behind which a page starts, null for the first page; the status of a refusal. In calm none is dead. */
    find: (name: string | null, isCalm: boolean): R | null | number => {
      if (name === null) return null;
      const cursor = known.get(name);
      if (cursor === undefined) return 400;
      const isDead = now() - cursor.issuedMs > life.lifeMs || (life.dieBetweenReads && cursor.read !== read);
      if (isDead && !isCalm) return life.death === 'first page' ? null : life.death;
      return cursor.behind;
    },
    nextRead: (): void => {
      read++;
    },
  };
}
