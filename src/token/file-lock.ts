import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';

import { messageOf } from '../errors.ts';
import { LOCK } from '../limits.ts';

export interface LockParts {
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Monotonic, ms. */
  readonly ticks: () => number;
  readonly signal: AbortSignal;
}

interface Holder {
  readonly id: string;
  readonly pid: number;
  /** Which processes the pid is one of; null where that cannot be told. */
  readonly namespace: string | null;
}

/** A lock file that somebody else holds. */
interface Held {
  /** Another one for each time that the file was made. */
  readonly id: string;
  /** Null where the file is damaged. */
  readonly holder: Holder | null;
}

/**
 * Runs `work` while this process alone holds the lock file: the others wait. A lock whose holder has died is broken, at
 * once if it can be seen to be dead, else when no holder can have it any more (`LOCK`). Every wait has an end: where the lock cannot be had, `work` runs
 * without it and is given the reason, else null.
 *
 * @throws the signal's reason while waiting, and what `work` throws
 */
export async function withFileLock<T>(
  path: string,
  parts: LockParts,
  work: (unlocked: string | null) => Promise<T>,
): Promise<T> {
  const own: Holder = { id: randomUUID(), pid: process.pid, namespace: pidNamespace() };
  const unlocked = await acquire(path, own, parts);
  try {
    return await work(unlocked);
  } finally {
    if (unlocked === null) release(path, own);
  }
}

/** Null once the lock is ours, else why it cannot be had. Every turn of the loop sleeps, or it could spin. */
async function acquire(
  path: string,
  own: Holder,
  { sleep, ticks, signal }: LockParts,
): Promise<string | null> {
  const started = ticks();
  const firstSeen = new Map<string, number>();
  const isLost = ({ id, holder }: Held, staleMs: number): boolean => {
    const since = firstSeen.get(id) ?? ticks();
    firstSeen.set(id, since);
    return (holder !== null && isDead(holder, own)) || ticks() - since > staleMs;
  };
  for (;;) {
    signal.throwIfAborted();
    const failure = make(path, own);
    if (failure === null) return null;
    if (!isThere(failure)) return messageOf(failure);
    const held = readHeld(path);
    if (held !== null && isLost(held, LOCK.staleMs)) {
      const blocked = breakLock(path, held.id, own, (tomb) => isLost(tomb, LOCK.tombstoneStaleMs));
      if (blocked !== null) return messageOf(blocked);
    }
    if (ticks() - started > LOCK.mostWaitMs) return `${path} stays locked`;
    await sleep(LOCK.pollMs * (0.5 + Math.random()), signal);
  }
}

/** Makes a file that was not there, as a whole or not at all; gives the error if it cannot. */
function make(path: string, own: Holder): unknown {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    return error;
  }
  try {
    writeFileSync(file, JSON.stringify(own));
    return null;
  } catch (error) {
    // a disk that is full has room for an empty file, which would pass for somebody's lock
    remove(path);
    return error;
  } finally {
    closeSync(file);
  }
}

/**
 * Only the one who makes the tombstone of a lock may remove that lock, so that nobody removes its successor. A tombstone
 * is a lock itself: one whose maker has died is broken in the same way. Gives the error if no tombstone can be made.
 */
function breakLock(path: string, id: string, own: Holder, isLost: (tombstone: Held) => boolean): unknown {
  const tombstone = `${path}.${id}`;
  const failure = make(tombstone, own);
  if (failure === null) {
    if (readHeld(path)?.id === id) remove(path);
    remove(tombstone);
    return null;
  }
  if (!isThere(failure)) return failure;
  const held = readHeld(tombstone);
  return held !== null && isLost(held) ? breakLock(tombstone, held.id, own, isLost) : null;
}

function release(path: string, own: Holder): void {
  // if not, it was taken for dead and broken meanwhile: it is not ours any more
  if (readHeld(path)?.id === own.id) remove(path);
}

/** What cannot be removed is somebody else's to wait for; no wait is without an end. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // as above
  }
}

/** Null if there is none any more. */
function readHeld(path: string): Held | null {
  try {
    const { ino, mtimeNs } = statSync(path, { bigint: true });
    const holder = readHolder(path);
    return { id: holder?.id ?? `damaged-${ino}-${mtimeNs}`, holder };
  } catch {
    return null;
  }
}

function readHolder(path: string): Holder | null {
  try {
    const holder = JSON.parse(readFileSync(path, 'utf8')) as Partial<Holder> | null;
    const { id, pid, namespace = null } = holder ?? {};
    return typeof id === 'string' && /^[\w-]{1,64}$/.test(id) && typeof pid === 'number'
      ? { id, pid, namespace }
      : null;
  } catch {
    return null;
  }
}

function isDead(holder: Holder, own: Holder): boolean {
  if (holder.namespace === null || holder.namespace !== own.namespace) return false;
  try {
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
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

function isThere(failure: unknown): boolean {
  return codeOf(failure) === 'EEXIST';
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
