/** How much is measured. */
export interface Sizes {
  /** Rows of a throughput run. */
  readonly rows: number;
  readonly rounds: number;
  /** Pages that one request at a time reads in the latency section. */
  readonly pages: number;
  readonly startUpRounds: number;
  /** Rows whose reading is watched for its memory. */
  readonly memoryRows: readonly number[];
  /** Two numbers of rows that the peers read: what lies between them is reading without start-up. */
  readonly peerRows: readonly [number, number];
  /** Seconds until a program that does not give up is ended. */
  readonly patienceSeconds: number;
}

export const usual: Sizes = {
  rows: 150_000,
  rounds: 3,
  pages: 100,
  startUpRounds: 9,
  memoryRows: [10_000, 100_000, 1_000_000],
  peerRows: [20_000, 100_000],
  patienceSeconds: 120,
};

/** To try the benchmark itself. */
export const quick: Sizes = {
  rows: 20_000,
  rounds: 1,
  pages: 20,
  startUpRounds: 3,
  memoryRows: [10_000, 50_000],
  peerRows: [2000, 5000],
  patienceSeconds: 60,
};

/** Rows of a page in the latency section, ms before an answer there, and most requests in flight. */
export const LATENCY_PAGE = 100;
export const LATENCY_MS = 50;
export const MOST_IN_FLIGHT = 16;
/** How many times as many pages a chain of alarms has there. */
export const CHAINED = 4;

/** Rows that the server must hold of each list. */
export function renderedFor({ rows, pages, memoryRows, peerRows }: Sizes): Readonly<Record<string, number>> {
  const most = Math.max(rows, pages * LATENCY_PAGE * MOST_IN_FLIGHT, ...peerRows, ...memoryRows);
  const narrow = Math.max(...peerRows);
  const oldAlarms = pages * CHAINED * LATENCY_PAGE;
  return { assets: most, alarms: most, oldAlarms, narrowAssets: narrow, narrowAlarms: narrow };
}
