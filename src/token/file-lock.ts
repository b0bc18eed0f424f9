import { randomUUID } from 'node:crypto';
import { readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Clock, Sleep } from '../clock.ts';
import { membersOf, readOwnFile, type OwnFile } from '../config/files.ts';
import { LOCK } from '../limits.ts';

export type LockDeps = Pick<Clock, 'ticks'> & Readonly<{ sleep: Sleep; signal: AbortSignal }>;

/** `id` is unique per lock; `namespace` identifies the PID namespace, null if it is unknown. */
type Holder = Readonly<{ id: string; pid: number; namespace: unknown }>;

/**
 * Runs `work` while this process alone holds the lock file, or without the lock if it cannot be taken, and then with the reason
 * instead of null. A lock is broken at once if its holder is known to be dead, and otherwise when it is stale.
 */
export async function withFileLock<T>(
  path: string,
  { sleep, ticks, signal }: LockDeps,
  work: (failure: string | null) => Promise<T>,
): Promise<T> {
  const own: Holder = { id: randomUUID(), pid: process.pid, namespace: pidNamespace() };
  const untilTicks = ticks() + LOCK.maxWaitMs;
  /** Returns null once the lock is taken, or why it cannot be. Every iteration sleeps, so the loop cannot spin. */
  const take = async (file: string, staleMs: number): Promise<string | null> => {
    let seen = { id: '', since: 0 };
    for (;;) {
      signal.throwIfAborted();
      const error = create(file, own);
      if (error === null) return null;
      if (error.code !== 'EEXIST') return error.message;
      const found = readOwnFile(file, LOCK.maxBytes);
      // nobody would ever remove it
      if (found !== null && found.problem !== null) return found.problem;
      const holder = holderIn(found);
      if (holder !== null && holder.id !== seen.id) seen = { id: holder.id, since: ticks() };
      if (holder !== null && (isDead(holder, own) || ticks() - seen.since > staleMs)) {
        // only the holder of its tombstone, itself a lock, may remove a lock: otherwise two processes could break it in turn, and the
        // second one would remove its successor
        const tombstone = `${file}.${holder.id}`;
        const failure = await take(tombstone, LOCK.tombstoneStaleMs);
        if (failure !== null) return failure;
        release(file, holder);
        release(tombstone, own);
      }
      if (ticks() > untilTicks) return `${file} is still locked`;
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

/** Removes a lock, unless another process has taken it over. */
function release(path: string, { id }: Holder): void {
  if (holderIn(readOwnFile(path, LOCK.maxBytes))?.id === id) remove(path);
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // the lock becomes stale, and every wait for it ends
  }
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
