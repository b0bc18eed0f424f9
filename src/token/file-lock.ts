import { randomUUID } from 'node:crypto';
import { readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';

import type { Clock, Sleep } from '../clock.ts';
import { readOwnFile } from '../config/open-file.ts';
import type { OwnFile } from '../config/open-file.ts';
import { LOCK } from '../limits.ts';
import { membersOf } from './rules.ts';

export type LockParts = Pick<Clock, 'ticks'> & Readonly<{ sleep: Sleep; signal: AbortSignal }>;

/** Each time that the file is made `id` is another one; `namespace`: of which processes the pid is, null if nobody can tell. */
type Holder = Readonly<{ id: string; pid: number; namespace: string | null }>;

/**
 * Runs `work` while this process alone holds the lock file: the others wait. A lock whose holder has died is broken, at
 * once if it can be seen to be dead, else when no holder can have it any more (`LOCK`). Every wait has an end: where the
 * lock cannot be had, `work` runs without it and is given the reason, else null.
 */
export async function withFileLock<T>(
  path: string,
  { sleep, ticks, signal }: LockParts,
  work: (unlocked: string | null) => Promise<T>,
): Promise<T> {
  const own: Holder = { id: randomUUID(), pid: process.pid, namespace: pidNamespace() };
  const untilTicks = ticks() + LOCK.mostWaitMs;
  /** Null once the lock is ours, else why it cannot be had. Every turn of the loop sleeps, or it could spin. */
  const take = async (file: string, staleMs: number): Promise<string | null> => {
    let seen = { id: '', since: 0 };
    for (;;) {
      signal.throwIfAborted();
      const failure = make(file, own);
      if (failure === null) return null;
      if (failure.code !== 'EEXIST') return failure.message;
      const found = readOwnFile(file, LOCK.maxBytes);
      // nobody would ever give it back
      if (found !== null && found.problem !== null) return found.problem;
      const holder = holderIn(found);
      if (holder !== null && holder.id !== seen.id) seen = { id: holder.id, since: ticks() };
      if (holder !== null && (isDead(holder, own) || ticks() - seen.since > staleMs)) {
        // whoever has the tombstone of a lock, itself a lock, may remove that lock: so nobody removes its successor
        const tombstone = `${file}.${holder.id}`;
        const blocked = await take(tombstone, LOCK.tombstoneStaleMs);
        if (blocked !== null) return blocked;
        release(file, holder);
        release(tombstone, own);
      }
      if (ticks() > untilTicks) return `${file} stays locked`;
      await sleep(LOCK.pollMs * (0.5 + Math.random()), signal);
    }
  };
  const unlocked = await take(path, LOCK.staleMs);
  try {
    return await work(unlocked);
  } finally {
    if (unlocked === null) release(path, own);
  }
}

/** Makes a file that was not there, as a whole or not at all; gives the error if it cannot. */
function make(path: string, own: Holder): NodeJS.ErrnoException | null {
  try {
    writeFileSync(path, JSON.stringify(own), { flag: 'wx', mode: 0o600 });
    return null;
  } catch (error) {
    const failure = error as NodeJS.ErrnoException;
    // a disk that is full has room for an empty file, which would pass for somebody's lock
    if (failure.syscall !== 'open') remove(path);
    return failure;
  }
}

/** Removes a lock unless somebody else has it by now, who took its holder for dead. */
function release(path: string, { id }: Holder): void {
  if (holderIn(readOwnFile(path, LOCK.maxBytes))?.id === id) remove(path);
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // it is somebody else's to wait for, and no wait is without an end
  }
}

/** Null if nobody has it any more. A damaged file is known by itself, and its holder is never seen to be dead. */
function holderIn(file: OwnFile | null): Holder | null {
  if (file === null) return null;
  const { id, pid, namespace } = membersOf(file.text);
  if (/^[\w-]{1,64}$/.test(String(id)) && typeof pid === 'number')
    return { id: String(id), pid, namespace: typeof namespace === 'string' ? namespace : null };
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

/** Two processes that share it see each other's pids; the host's name alone would not tell containers apart. */
function pidNamespace(): string | null {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return process.platform === 'linux' ? null : hostname();
  }
}
