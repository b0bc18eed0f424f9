/** Follows the emissions of one stream over rounds, each of which goes on from the last state of those before. */
export interface EmissionLedger {
  readonly startRound: () => void;
  /**
   * Takes the exact text of an emitted row. `repeat`: it came in a round before, and no state covers it; `read again`: the
   * read has started anew since; `unexplained`: a state covers it, or it came in this round already.
   */
  readonly row: (text: string) => 'new' | 'repeat' | 'read again' | 'unexplained';
  /** A state covers what this round has emitted so far; of earlier rounds, only what their own states covered. */
  readonly state: () => void;
  /** The read starts again from nothing: whatever has been emitted may be emitted once more. */
  readonly readAgain: () => void;
  /** Rows of this round that no state covers. */
  readonly uncovered: () => number;
  /** Every row that was emitted. */
  readonly rows: () => ReadonlySet<string>;
  /** Forgets everything: a new read of the whole list begins. */
  readonly forget: () => void;
}

export function createEmissionLedger(): EmissionLedger {
  const rows = new Set<string>();
  const covered = new Set<string>();
  /** Those that may come once more although they have been covered. */
  const again = new Set<string>();
  const thisRound = new Set<string>();
  let sinceState: string[] = [];
  return {
    startRound: () => {
      thisRound.clear();
      sinceState = [];
    },
    row: (text) => {
      const isUnexplained = covered.has(text) || thisRound.has(text);
      const kind = again.delete(text) ? 'read again' : isUnexplained ? 'unexplained' : 'repeat';
      const isNew = !rows.has(text);
      rows.add(text);
      covered.delete(text);
      thisRound.add(text);
      sinceState.push(text);
      return isNew ? 'new' : kind;
    },
    state: () => {
      for (const text of sinceState) {
        covered.add(text);
        again.delete(text);
      }
      sinceState = [];
    },
    readAgain: () => {
      for (const text of rows) again.add(text);
    },
    uncovered: () => sinceState.length,
    rows: () => rows,
    forget: () => {
      for (const texts of [rows, covered, again, thisRound]) texts.clear();
      sinceState = [];
    },
  };
}
