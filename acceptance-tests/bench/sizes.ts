/** How much is measured. */
export const SIZES = {
  usual: {
    /** Rows of a throughput run. */
    rows: 150_000,
    rounds: 3,
    /** Pages that one request at a time reads in the latency section. */
    pages: 100,
    startUpRounds: 9,
    /** Rows whose reading is watched for its memory. */
    memoryRows: [10_000, 100_000, 1_000_000],
    /** Two numbers of rows that the peers read: what lies between them is reading without start-up. */
    peerRows: [20_000, 100_000],
    /** Seconds until a program that does not give up is ended. */
    patienceSeconds: 120,
  },
  /** To try the benchmark itself. */
  quick: {
    rows: 20_000,
    rounds: 1,
    pages: 20,
    startUpRounds: 3,
    memoryRows: [10_000, 50_000],
    peerRows: [2000, 5000],
    patienceSeconds: 60,
  },
} as const;

export type Sizes = (typeof SIZES)['usual' | 'quick'];
