/** Runs one piece of work at a time, in the order of the calls; throws the signal's reason if it is aborted while waiting. */
export type MemoryLock = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

export function createMemoryLock(): MemoryLock {
  let last: Promise<unknown> = Promise.resolve();
  return (work, signal) => {
    const turn = last.then(() => {
      signal.throwIfAborted();
      return work();
    });
    last = turn.catch(() => undefined);
    return turn;
  };
}
