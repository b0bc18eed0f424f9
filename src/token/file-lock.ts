import { readFileSync, readlinkSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';

import { randomUUID } from '../builtins.ts';

/** A lock is held for one token request, which has a deadline of 60 s: one held unchanged for longer has lost its holder. */
const STALE_MS = 75_000;
/** Beyond that something is wrong with the files themselves, and waiting on would help nobody. */
const MOST_WAIT_MS = 150_000;
const POLL_MS = 40;

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

/**
 * Runs `work` while this process alone holds the lock file: the others wait. A lock whose holder has died is broken, at
 * once if it can be seen to be dead, else after 75 s. Where no lock file can be written, `work` runs without.
 *
 * @throws the signal's reason while waiting, and what `work` throws
 */
export async function withFileLock<T>(path: string, parts: LockParts, work: () => Promise<T>): Promise<T> {
  const own: Holder = { id: randomUUID(), pid: process.pid, namespace: pidNamespace() };
  const isHeld = await acquire(path, own, parts);
  try {
    return await work();
  } finally {
    if (isHeld) release(path, own);
  }
}

async function acquire(path: string, own: Holder, { sleep, ticks, signal }: LockParts): Promise<boolean> {
  const started = ticks();
  let watched = { id: '', since: started };
  for (;;) {
    signal.throwIfAborted();
    const taken = take(path, own);
    if (taken !== 'held') return taken === 'ours';
    const holder = readHolder(path);
    // as it is being written, or the moment after it was given back
    const id = holder?.id ?? '';
    if (id !== watched.id) watched = { id, since: ticks() };
    if ((holder !== null && isDead(holder, own)) || ticks() - watched.since > STALE_MS)
      breakLock(path, id, own);
    else if (ticks() - started > MOST_WAIT_MS) return false;
    else await sleep(POLL_MS * (0.5 + Math.random()), signal);
  }
}

function take(path: string, own: Holder): 'ours' | 'held' | 'impossible' {
  try {
    writeFileSync(path, JSON.stringify(own), { flag: 'wx', mode: 0o600 });
    return 'ours';
  } catch (error) {
    return codeOf(error) === 'EEXIST' ? 'held' : 'impossible';
  }
}

/** Only the one who makes the tombstone of a lock may remove that lock, so that nobody removes its successor. */
function breakLock(path: string, id: string, own: Holder): void {
  const tombstone = `${path}.${id === '' ? 'unreadable' : id}`;
  if (take(tombstone, own) !== 'ours') return;
  try {
    if ((readHolder(path)?.id ?? '') === id) unlinkSync(path);
  } catch {
    // its holder was quicker
  } finally {
    rmSync(tombstone, { force: true });
  }
}

function release(path: string, own: Holder): void {
  try {
    if (readHolder(path)?.id === own.id) unlinkSync(path);
  } catch {
    // taken for dead and broken meanwhile: it is not ours any more
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

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
