const COVERED = 0;

export type EmissionLedger = ReturnType<typeof createEmissionLedger>;

/** Follows the emissions of one stream over rounds, each of which goes on from the last state of those before. */
export function createEmissionLedger() {
  /** The round in which each row was emitted last; COVERED once a state has followed. */
  const rows = new Map<string, number>();
  /** Those that may come once more although they have been covered. */
  let again = new Set<string>();
  let sinceState: string[] = [];
  let round = COVERED;
  return {
    startRound: (): void => {
      round += 1;
      sinceState = [];
    },
    /**
     * Takes the exact text of an emitted row. `repeat`: it came in a round before, and no state covers it; `read again`: the
     * read has started anew since; `unexplained`: a state covers it, or it came in this round already.
     */
    row: (text: string): 'new' | 'repeat' | 'read again' | 'unexplained' => {
      const last = rows.get(text);
      rows.set(text, round);
      sinceState.push(text);
      if (last === undefined) return 'new';
      if (again.delete(text)) return 'read again';
      return last === COVERED || last === round ? 'unexplained' : 'repeat';
    },
    /** A state covers what this round has emitted so far; of earlier rounds, only what their own states covered. */
    state: (): void => {
      for (const text of sinceState) {
        rows.set(text, COVERED);
        again.delete(text);
      }
      sinceState = [];
    },
    /** The read starts again from nothing: whatever has been emitted may be emitted once more. */
    readAgain: (): void => {
      again = new Set(rows.keys());
    },
    /** Rows of this round that no state covers. */
    uncovered: () => sinceState.length,
    /** Every row that was emitted. */
    rows: (): readonly string[] => [...rows.keys()],
    /** A new read of the whole list begins. */
    forget: (): void => {
      rows.clear();
      again.clear();
      sinceState = [];
    },
  };
}
