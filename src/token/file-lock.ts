import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { duration, type Clock, type Sleep } from '../clock.ts';
import { membersOf, readOwnFile, type OwnFile } from '../config/files.ts';
import { messageOf } from '../errors.ts';
import { LOCK, WAIT_REPORT_MS } from '../limits.ts';

export interface LockDeps extends Pick<Clock, 'ticks'> {
  readonly sleep: Sleep;
  readonly signal: AbortSignal;
  readonly onLocked: (message: string) => Promise<void>; // called when a wait for a lock takes long
}

/** `id` is unique per lock. */
type Holder = Readonly<{ id: string; pid: number }>;

/**
 * Runs `work` while this process alone holds the lock file, or without the lock if it cannot be taken, and then with the reason
 * instead of null. A lock is broken once this process has seen it for longer than any is held.
 */
export async function withFileLock<T>(
  path: string,
  deps: LockDeps,
  work: (failure: string | null) => Promise<T>,
): Promise<T> {
  const own: Holder = { id: randomUUID(), pid: process.pid };
  const failure = await take(path, own, deps);
  try {
    return await work(failure);
  } finally {
    if (failure === null) release(path, own);
  }
}

/** Returns null once the lock is taken, or why it cannot be. Every iteration sleeps, so the loop cannot spin. */
async function take(
  path: string,
  own: Holder,
  { sleep, ticks, signal, onLocked }: LockDeps,
): Promise<string | null> {
  const untilTicks = ticks() + LOCK.maxWaitMs;
  const report = createReport(untilTicks, ticks, onLocked);
  let seen = { id: '', since: 0 };
  let absences = 0;
  for (;;) {
    signal.throwIfAborted();
    const error = create(path, own);
    if (error === null) return null;
    if (error.code !== 'EEXIST') return error.message;
    const found = readOwnFile(path, LOCK.maxBytes);
    // nobody would ever remove it
    if (found !== null && found.problem !== null) return found.problem;
    const holder = holderIn(found);
    // some volumes refuse to create files exclusively, whether they exist or not
    absences = holder === null ? absences + 1 : 0;
    if (absences > LOCK.maxAbsences) return `${error.message}, although there is no such file`;
    if (holder !== null && holder.id !== seen.id) seen = { id: holder.id, since: ticks() };
    if (holder !== null && ticks() - seen.since > LOCK.staleMs) {
      const failure = release(path, holder);
      if (failure !== null) return `an abandoned lock cannot be removed: ${failure}`;
    }
    if (ticks() > untilTicks) return `${path} is still locked`;
    await report(path, holder);
    await sleep(LOCK.pollMs * (0.5 + Math.random()), signal);
  }
}

/** Reports a wait once it takes long, and then once a minute. */
function createReport(untilTicks: number, ticks: Clock['ticks'], onLocked: LockDeps['onLocked']) {
  let nextTicks = ticks() + LOCK.reportMs;
  return async (file: string, holder: Holder | null): Promise<void> => {
    if (ticks() <= nextTicks) return;
    nextTicks = ticks() + WAIT_REPORT_MS;
    const left = duration(untilTicks - ticks());
    await onLocked(`waiting for the lock ${file}${holderName(holder)}, for up to ${left}`);
  };
}

/** Creates a file, entirely or not at all; returns the error if it cannot. */
function create(path: string, own: Holder): NodeJS.ErrnoException | null {
  try {
    writeFileSync(path, JSON.stringify(own), { flag: 'wx', mode: 0o600 });
    return null;
  } catch (error) {
    const failure = error as NodeJS.ErrnoException;
    // on a full disk an empty file may remain, which would count as a lock
    if (failure.syscall !== 'open') remove(path);
    return failure;
  }
}

/** Removes the lock of a holder, unless another process has taken it over. Returns why it cannot. */
function release(path: string, { id }: Holder): string | null {
  return holderIn(readOwnFile(path, LOCK.maxBytes))?.id === id ? remove(path) : null;
}

function remove(path: string): string | null {
  try {
    rmSync(path, { force: true });
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function holderName(holder: Holder | null): string {
  return holder === null || holder.id.startsWith('damaged-') ? '' : `, held by process ${holder.pid}`;
}

/** Returns null if there is no lock. A damaged file is identified by inode and time. */
function holderIn(file: OwnFile | null): Holder | null {
  if (file === null) return null;
  const { id, pid } = membersOf(file.text);
  if (/^[\w-]{1,64}$/.test(String(id)) && typeof pid === 'number') return { id: String(id), pid };
  return { id: `damaged-${file.id}`, pid: process.pid };
}
