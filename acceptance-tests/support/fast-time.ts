const environment = (waitFactor: number, waitMostMs: number, deadlineFactor: number) => ({
  NODE_OPTIONS: `--import=${new URL('fast-time.mjs', import.meta.url).href}`,
  WAIT_FACTOR: String(waitFactor),
  WAIT_MOST_MS: String(waitMostMs),
  DEADLINE_FACTOR: String(deadlineFactor),
});

/**
 * The environment in which a process of the connector waits a twentieth of the time, at most `waitMostMs` at once, and
 * keeps all its promises about waits on a clock of its own (see `fast-time.mjs`). A deadline of 60 s comes after 2 s.
 */
export const fastTime = (waitMostMs: number) => environment(20, waitMostMs, 30);

/** The same with deadlines of 20 s, for bodies that take their time. */
export const fastWaits = (waitMostMs: number) => environment(20, waitMostMs, 3);

/** The same with waits as long as they are, up to two seconds: for a machine that needs time to come back. */
export const realWaits = () => environment(1, 2000, 30);
