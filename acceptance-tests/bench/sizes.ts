/** How much is measured. */
export interface Sizes {
  /** Rows of a throughput run. */
  readonly rows: number;
  readonly rounds: number;
  /** ms before an answer in the latency section. */
  readonly latencyMs: number;
  /** Pages that one request at a time reads in the latency section. */
  readonly pages: number;
  readonly startUpRounds: number;
  /** Rows whose reading is watched for its memory. */
  readonly memory: { readonly assets: readonly number[]; readonly alarms: readonly number[] };
  /** Rows that the peers read. */
  readonly peerRows: number;
  /** Rows that the server renders beforehand. */
  readonly rendered: { readonly assets: number; readonly alarms: number; readonly oldAlarms: number };
}

export type Amount = 'quick' | 'usual' | 'full';

const AMOUNTS: Readonly<Record<Amount, Omit<Sizes, 'rendered'>>> = {
  quick: {
    rows: 50_000,
    rounds: 2,
    latencyMs: 50,
    pages: 40,
    startUpRounds: 5,
    memory: { assets: [10_000, 100_000], alarms: [10_000, 100_000] },
    peerRows: 5_000,
  },
  usual: {
    rows: 200_000,
    rounds: 3,
    latencyMs: 50,
    pages: 100,
    startUpRounds: 15,
    memory: { assets: [10_000, 100_000, 1_000_000], alarms: [10_000, 100_000, 1_000_000] },
    peerRows: 20_000,
  },
  full: {
    rows: 1_000_000,
    rounds: 5,
    latencyMs: 50,
    pages: 200,
    startUpRounds: 31,
    memory: { assets: [10_000, 100_000, 1_000_000], alarms: [10_000, 100_000, 1_000_000, 5_000_000] },
    peerRows: 100_000,
  },
};

/** Rows of a page in the latency section, and most requests in flight there. */
export const LATENCY_PAGE = 100;
export const MOST_IN_FLIGHT = 16;
/** How many times as many pages a chain of alarms has there. */
export const CHAINED = 4;

/** Bytes that the server keeps of a row, at most. */
const ROW_BYTES = 1000;

/** The sizes of an amount; `rows` replaces its rows of a throughput run. */
export function sizesOf(amount: Amount, rows: number | undefined): Sizes {
  return withRendered({ ...AMOUNTS[amount], ...(rows === undefined ? {} : { rows }) });
}

function withRendered(sizes: Omit<Sizes, 'rendered'>): Sizes {
  const latencyRows = sizes.pages * LATENCY_PAGE * MOST_IN_FLIGHT;
  const rendered = {
    assets: Math.max(sizes.rows, sizes.peerRows, latencyRows, ...sizes.memory.assets),
    alarms: Math.max(sizes.rows, latencyRows, ...sizes.memory.alarms),
    oldAlarms: sizes.pages * CHAINED * LATENCY_PAGE,
  };
  return { ...sizes, rendered };
}

/** The sizes without what the memory that is free cannot hold, and words for what has been left out. */
export function fitting(
  sizes: Sizes,
  freeBytes: number,
): { readonly sizes: Sizes; readonly left: readonly string[] } {
  const isTooMuch = (count: number): boolean => count * ROW_BYTES > freeBytes / 2;
  const { assets, alarms } = sizes.memory;
  const memory = {
    assets: assets.filter((count) => !isTooMuch(count)),
    alarms: alarms.filter((count) => !isTooMuch(count)),
  };
  const left = [...assets, ...alarms]
    .filter(isTooMuch)
    .map((count) => `left out: the memory that is free cannot hold ${count.toLocaleString('en-US')} rows`);
  return { sizes: withRendered({ ...sizes, memory }), left };
}
