/** Time that passes only while everybody who takes part sleeps. */
export interface VirtualClock {
  /** Virtual ms since the epoch. */
  readonly now: () => number;
  /** Sleeps in virtual time; whoever is due at the same time wakes in the order of going to sleep. */
  readonly sleep: (ms: number) => Promise<void>;
  /** From now on the caller waits for another one who takes part; it takes part again when the result is called. */
  readonly idle: () => () => void;
  /** Runs tasks side by side until all are done; time stands still while one of them does real work. */
  readonly run: <T>(tasks: readonly (() => Promise<T>)[]) => Promise<T[]>;
}

/** A clock that begins at `startMs`, and goes on from one `run` to the next. */
export function createVirtualClock(startMs: number): VirtualClock {
  let now = startMs;
  /** Tasks that do work now: only when there is none the next sleeper wakes. */
  let busy = 0;
  const sleepers: { readonly atMs: number; readonly wake: () => void }[] = [];

  const rest = (): void => {
    busy--;
    if (busy > 0) return;
    const atMs = Math.min(...sleepers.map((sleeper) => sleeper.atMs));
    const index = sleepers.findIndex((sleeper) => sleeper.atMs === atMs);
    const [next] = index === -1 ? [] : sleepers.splice(index, 1);
    if (next === undefined) return;
    now = Math.max(now, next.atMs);
    busy++;
    next.wake();
  };
  return {
    now: () => now,
    sleep: (ms) =>
      new Promise((resolve) => {
        sleepers.push({ atMs: now + ms, wake: resolve });
        rest();
      }),
    idle: () => {
      // later, since whoever is waited for may have left already
      setImmediate(rest);
      return () => {
        busy++;
      };
    },
    run: async (tasks) => {
      busy += tasks.length;
      return Promise.all(
        tasks.map(async (task) => {
          try {
            return await task();
          } finally {
            rest();
          }
        }),
      );
    },
  };
}
