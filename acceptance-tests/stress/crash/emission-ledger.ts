/** How a row that is emitted relates to what was emitted before it. */
export type Emission =
  | { readonly kind: 'new' }
  /** Its last emission was in that round, and no state that reached us covers it. */
  | { readonly kind: 'repeat'; readonly round: number }
  /** The connector has said that the read starts again, because its place is gone. */
  | { readonly kind: 'readAgain' }
  /** It was covered by a state that reached us, or is there twice in one round. */
  | { readonly kind: 'unexplained'; readonly round: number };

/** Follows the emissions of one stream over rounds, each of which goes on from the last state of those before. */
export interface EmissionLedger {
  readonly startRound: (round: number) => void;
  /** Takes the exact text of an emitted row. */
  readonly row: (text: string) => Emission;
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

interface Known {
  readonly round: number;
  status: 'open' | 'covered' | 'readAgain';
}

/** A ledger without rows, in round 0. */
export function createEmissionLedger(): EmissionLedger {
  const known = new Map<string, Known>();
  const texts = new Set<string>();
  let sinceState: Known[] = [];
  let now = 0;
  return {
    startRound: (round) => {
      now = round;
      sinceState = [];
    },
    row: (text) => {
      const before = known.get(text);
      const entry: Known = { round: now, status: 'open' };
      known.set(text, entry);
      texts.add(text);
      sinceState.push(entry);
      if (before === undefined) return { kind: 'new' };
      if (before.status === 'readAgain') return { kind: 'readAgain' };
      const { round, status } = before;
      return { kind: round === now || status === 'covered' ? 'unexplained' : 'repeat', round };
    },
    state: () => {
      for (const entry of sinceState) entry.status = 'covered';
      sinceState = [];
    },
    readAgain: () => {
      for (const entry of known.values()) entry.status = 'readAgain';
    },
    uncovered: () => sinceState.length,
    rows: () => texts,
    forget: () => {
      known.clear();
      texts.clear();
      sinceState = [];
    },
  };
}
