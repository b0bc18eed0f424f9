export const SIZES = {
  usual: {
    rows: 150_000,
    rounds: 3,
    pages: 100,
    startUpRounds: 9,
    memoryRows: [10_000, 100_000, 1_000_000],
    /** Rows that the peers read; the difference of both runs excludes start-up. */
    peerRows: [20_000, 100_000],
    /** Time after which a program that does not time out is killed. */
    timeoutSeconds: 120,
  },
  quick: {
    rows: 20_000,
    rounds: 1,
    pages: 20,
    startUpRounds: 3,
    memoryRows: [10_000, 50_000],
    peerRows: [2000, 5000],
    timeoutSeconds: 60,
  },
} as const;

export type Sizes = (typeof SIZES)['usual' | 'quick'];
