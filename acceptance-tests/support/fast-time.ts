const environment = (waitFactor: number, maxWaitMs: number, deadlineFactor: number) => ({
  NODE_OPTIONS: `--import=${new URL('fast-time.mjs', import.meta.url).href}`,
  WAIT_FACTOR: String(waitFactor),
  MAX_WAIT_MS: String(maxWaitMs),
  DEADLINE_FACTOR: String(deadlineFactor),
});

/** An environment with waits of a twentieth, at most `maxWaitMs`, and deadlines of 6 s (see `fast-time.mjs`). */
export const fastTime = (maxWaitMs: number) => environment(20, maxWaitMs, 10);

/** The same with deadlines of 20 s, for large bodies. */
export const fastWaits = (maxWaitMs: number) => environment(20, maxWaitMs, 3);

/** The same with real waits of up to two seconds, for connections that are accepted again. */
export const realWaits = () => environment(1, 2000, 10);
