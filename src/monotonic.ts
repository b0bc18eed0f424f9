const MS_PER_SECOND = 1000;
const NS_PER_MS = 1_000_000;

/** ms since some time in the past, by a clock that never goes back. The global `performance` would load nine modules of Node.js. */
export function monotonicMs(): number {
  const [seconds, ns] = process.hrtime();
  return seconds * MS_PER_SECOND + ns / NS_PER_MS;
}
