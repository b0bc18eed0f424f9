import { constants } from 'node:fs';
import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { readOwnFile } from '../config/files.ts';
import { messageOf } from '../errors.ts';
import { TOKEN } from '../limits.ts';
import { cacheText, emptyCache, mergedCaches, parseCache, type TokenCache } from './cache.ts';
import { withFileLock, type LockDeps } from './file-lock.ts';

const NAME = 'source-trailer-data';

export type Save = (cache: TokenCache) => Promise<void>;

type Work<T> = (cache: TokenCache, save: Save) => Promise<T>;

/** Stores the tokens of one credential, in a file shared by processes or in the memory of this one. */
export interface TokenStore {
  readonly file: string | null; // its path; null if it is kept in memory only
  readonly read: () => Promise<TokenCache>; // never fails: an empty cache if the stored one cannot be read
  /** Runs `work`, which may save changes, while no other process or call does. */
  readonly exclusively: <T>(work: Work<T>, signal: AbortSignal) => Promise<T>;
}

export interface FileStoreDeps extends Omit<LockDeps, 'signal'>, Pick<Clock, 'now'> {
  readonly credential: string; // owner of the tokens; part of the file name
  readonly onUnwritable: (reason: string) => Promise<void>; // if the file cannot be locked or written, tokens stay in memory
}

/** Opens a file store in a directory (null: the default one). If that is not possible, reports why and returns null. */
export async function openFileStore(directory: string | null, deps: FileStoreDeps) {
  try {
    return createFileStore(await openCacheDirectory(directory, process.env), deps);
  } catch (error) {
    await deps.onUnwritable(messageOf(error));
    return null;
  }
}

export function createMemoryStore(credential: string): TokenStore {
  let stored = emptyCache(credential);
  const lock = createMemoryLock();
  const save: Save = async (cache) => {
    stored = cache;
  };
  return {
    file: null,
    read: async () => stored,
    exclusively: (work, signal) => lock(() => work(stored, save), signal),
  };
}

/** Uses a private file that is always replaced as a whole. A damaged file, or one that others can access, is ignored. */
export function createFileStore(directory: string, deps: FileStoreDeps): TokenStore {
  const { credential, now } = deps;
  const path = join(directory, `tokens-${credential}.json`);
  const lock = createMemoryLock();
  let unwritten: TokenCache | null = null;
  const read = async (): Promise<TokenCache> => {
    const file = readOwnFile(path, TOKEN.maxBytes);
    const stored = parseCache(file?.isPrivate === true ? file.text : '', credential);
    return unwritten === null ? stored : mergedCaches(stored, unwritten, now());
  };
  const save = async (cache: TokenCache, lockFailure: string | null): Promise<void> => {
    const failure = lockFailure ?? (await replace(path, cacheText(cache, now())).then(() => null, messageOf));
    if (failure !== null && unwritten === null) await deps.onUnwritable(failure);
    unwritten = failure === null ? null : cache;
  };
  const exclusively: TokenStore['exclusively'] = (work, signal) => {
    const locked = async (failure: string | null) => work(await read(), (cache) => save(cache, failure));
    return lock(() => withFileLock(`${path}.lock`, { ...deps, signal }, locked), signal);
  };
  return { file: path, read, exclusively };
}

/** Runs one piece of work at a time, in the order of the calls. */
export function createMemoryLock(): <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T> {
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

/** Must be called under the lock, so that an existing temporary file can only come from a killed process. */
async function replace(path: string, text: string): Promise<void> {
  const next = `${path}.next`;
  const problem = readOwnFile(path, 0)?.problem ?? null;
  if (problem !== null) throw new Error(problem);
  try {
    await rm(next, { force: true });
    await writeFile(next, text, { flag: 'wx', mode: 0o600, flush: true });
    await rename(next, path);
  } finally {
    await rm(next, { force: true });
  }
}

/** Returns the path of a writable directory for tokens, created as a private one if it does not exist. */
export async function openCacheDirectory(directory: string | null, env: NodeJS.ProcessEnv) {
  const path = directory ?? (env['SOURCE_TRAILER_DATA_CACHE'] || userDirectory(env));
  await mkdir(path, { recursive: true, mode: 0o700 });
  await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  return path;
}

/** Throws if the user has no home directory, as with an arbitrary uid in a container. */
function userDirectory({ LOCALAPPDATA: local, XDG_CACHE_HOME: xdg }: NodeJS.ProcessEnv): string {
  const { platform } = process;
  const caches = platform === 'win32' ? local : xdg;
  if (caches) return join(caches, NAME);
  const home = platform === 'win32' ? '' : homedir();
  if (home === '' || home === '/') throw new Error('there is no home directory');
  return join(home, platform === 'darwin' ? join('Library', 'Caches') : '.cache', NAME);
}
