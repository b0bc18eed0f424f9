import { randomUUID } from 'node:crypto';
import { readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { duration, type Clock, type Sleep } from '../clock.ts';
import { membersOf, readOwnFile, type OwnFile } from '../config/files.ts';
import { messageOf } from '../errors.ts';
import { LOCK, WAIT_REPORT_MS } from '../limits.ts';

export interface LockDeps extends Pick<Clock, 'ticks'> {
  readonly sleep: Sleep;
  readonly signal: AbortSignal;
  readonly onLocked: (message: string) => Promise<void>; // called when a wait for a lock takes long
}

/** `id` is unique per lock; `namespace` identifies the PID namespace, null if it is unknown. */
type Holder = Readonly<{ id: string; pid: number; namespace: unknown }>;

/**
 * Runs `work` while this process alone holds the lock file, or without the lock if it cannot be taken, and then with the reason
 * instead of null. A lock is broken at once if its holder is known to be dead, and otherwise when it is stale.
 */
export async function withFileLock<T>(
  path: string,
  { sleep, ticks, signal, onLocked }: LockDeps,
  work: (failure: string | null) => Promise<T>,
): Promise<T> {
  const own: Holder = { id: randomUUID(), pid: process.pid, namespace: pidNamespace() };
  const untilTicks = ticks() + LOCK.maxWaitMs;
  const report = createReport(untilTicks, ticks, onLocked);
  /** Returns null once the lock is taken, or why it cannot be. Every iteration sleeps, so the loop cannot spin. */
  const take = async (file: string, staleMs: number): Promise<string | null> => {
    let seen = { id: '', since: 0 };
    let absences = 0;
    for (;;) {
      signal.throwIfAborted();
      const error = create(file, own);
      if (error === null) return null;
      if (error.code !== 'EEXIST') return error.message;
      const found = readOwnFile(file, LOCK.maxBytes);
      // nobody would ever remove it
      if (found !== null && found.problem !== null) return found.problem;
      const holder = holderIn(found);
      // some volumes refuse to create files exclusively, whether they exist or not
      absences = holder === null ? absences + 1 : 0;
      if (absences > LOCK.maxAbsences) return `${error.message}, although there is no such file`;
      if (holder !== null && holder.id !== seen.id) seen = { id: holder.id, since: ticks() };
      if (holder !== null && (isDead(holder, own) || ticks() - seen.since > staleMs)) {
        const failure = await breakLock(file, holder, own, take);
        if (failure !== null) return failure;
      }
      if (ticks() > untilTicks) return `${file} is still locked`;
      await report(file, holder);
      await sleep(LOCK.pollMs * (0.5 + Math.random()), signal);
    }
  };
  const failure = await take(path, LOCK.staleMs);
  try {
    return await work(failure);
  } finally {
    if (failure === null) release(path, own);
  }
}

/**
 * Removes an abandoned lock, and returns null, or why it cannot. Only the holder of its tombstone, itself a lock, may: otherwise two
 * processes could break it in turn, and the second one would remove its successor.
 */
async function breakLock(
  file: string,
  holder: Holder,
  own: Holder,
  take: (file: string, staleMs: number) => Promise<string | null>,
): Promise<string | null> {
  const tombstone = `${file}.${holder.id}`;
  const failure = await take(tombstone, LOCK.tombstoneStaleMs);
  if (failure !== null) return failure;
  const kept = release(file, holder);
  release(tombstone, own);
  return kept === null ? null : `an abandoned lock cannot be removed: ${kept}`;
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

/** Removes a lock, unless another process has taken it over. Returns why it cannot; it then becomes stale. */
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

/** Returns null if there is no lock. A damaged file is identified by inode and time, and its holder never counts as dead. */
function holderIn(file: OwnFile | null): Holder | null {
  if (file === null) return null;
  const { id, pid, namespace } = membersOf(file.text);
  if (/^[\w-]{1,64}$/.test(String(id)) && typeof pid === 'number') return { id: String(id), pid, namespace };
  return { id: `damaged-${file.id}`, pid: process.pid, namespace: null };
}

function isDead(holder: Holder, own: Holder): boolean {
  if (holder.namespace === null || holder.namespace !== own.namespace) return false;
  try {
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Processes in the same namespace see each other's PIDs; the host name alone would not distinguish containers. */
function pidNamespace(): string | null {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return process.platform === 'linux' ? null : hostname();
  }
}
