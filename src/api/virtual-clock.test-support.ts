/** Time that passes only while all participants sleep. */
export interface VirtualClock {
  /** Virtual ms since the epoch. */
  readonly now: () => number;
  /** Sleeps in virtual time; participants due at the same time wake in the order in which they went to sleep. */
  readonly sleep: (ms: number) => Promise<void>;
  /** The caller stops participating, because it waits for another participant, until the returned function is called. */
  readonly idle: () => () => void;
  /** Runs tasks concurrently until all are done; time stands still while one of them does real work. */
  readonly run: <T>(tasks: readonly (() => Promise<T>)[]) => Promise<T[]>;
}

/** A clock that starts at `startMs` and continues from one `run` to the next. */
export function createVirtualClock(startMs: number): VirtualClock {
  let now = startMs;
  let busy = 0; // number of tasks that are doing work; the next sleeper wakes when it drops to 0
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
      // later, because the participant it waits for may have left already
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
