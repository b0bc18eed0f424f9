import { constants } from 'node:fs';
import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

import type { Clock } from '../clock.ts';
import { readOwnFile } from '../config/open-file.ts';
import { messageOf } from '../errors.ts';
import { TOKEN } from '../limits.ts';
import { cacheText, emptyCache, mergedCaches, parseCache } from './cache.ts';
import type { TokenCache } from './cache.ts';
import { withFileLock } from './file-lock.ts';
import type { LockParts } from './file-lock.ts';

const NAME = 'source-trailer-data';

export type Save = (cache: TokenCache) => Promise<void>;

/** Where the tokens of one credential are kept: a file that processes share, or the memory of this one. */
export interface TokenStore {
  /** What is kept now. Never fails: what cannot be read is as if nothing were kept. */
  readonly read: () => Promise<TokenCache>;
  /** Runs `work` while nobody else, in this process or another, does the same; it may save anew what shall be kept. */
  readonly exclusively: <T>(
    work: (kept: TokenCache, save: Save) => Promise<T>,
    signal: AbortSignal,
  ) => Promise<T>;
}

export interface FileStoreParts extends Omit<LockParts, 'signal'>, Pick<Clock, 'now'> {
  /** Whose tokens: the file bears its name. */
  readonly credential: string;
  /** Told once if the file cannot be locked or written; tokens are then kept for this process only. */
  readonly onUnwritable: (reason: string) => Promise<void>;
}

export type OpenTokenStore = typeof openFileStore;

/** Opens the store in the folder asked for, null for the usual one; gives null if there is none, and has told why. */
export async function openFileStore(asked: string | null, parts: FileStoreParts): Promise<TokenStore | null> {
  try {
    return createFileStore(await openCacheFolder(asked, process.env), parts);
  } catch (error) {
    await parts.onUnwritable(messageOf(error));
    return null;
  }
}

/** Keeps tokens for this process only. */
export function createMemoryStore(credential: string): TokenStore {
  let kept = emptyCache(credential);
  const lock = createMemoryLock();
  const save: Save = async (cache) => {
    kept = cache;
  };
  return { read: async () => kept, exclusively: (work, signal) => lock(() => work(kept, save), signal) };
}

/** Keeps tokens in a file for this user alone, replaced as a whole; one that is damaged or not private counts for nothing. */
export function createFileStore(folder: string, parts: FileStoreParts): TokenStore {
  const { credential, now } = parts;
  const path = join(folder, `tokens-${credential}.json`);
  const lock = createMemoryLock();
  let unwritten: TokenCache | null = null;
  const read = async (): Promise<TokenCache> => {
    const file = readOwnFile(path, TOKEN.mostBytes);
    const kept = parseCache(file?.isPrivate === true ? file.text : '', credential);
    return unwritten === null ? kept : mergedCaches(kept, unwritten, now());
  };
  const save = async (cache: TokenCache, unlocked: string | null): Promise<void> => {
    const failure = unlocked ?? (await replace(path, cacheText(cache, now())).then(() => null, messageOf));
    if (failure !== null && unwritten === null) await parts.onUnwritable(failure);
    unwritten = failure === null ? null : cache;
  };
  const exclusively: TokenStore['exclusively'] = (work, signal) => {
    const alone = async (unlocked: string | null) => work(await read(), (cache) => save(cache, unlocked));
    return lock(() => withFileLock(`${path}.lock`, { ...parts, signal }, alone), signal);
  };
  return { read, exclusively };
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

/** Under the lock, so what lies where the new text is written is what a killed process left. Throws what keeps it from being. */
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

/** The folder for kept tokens, made for this user alone if it is not there. Throws what keeps it from being written to. */
export async function openCacheFolder(asked: string | null, environment: NodeJS.ProcessEnv): Promise<string> {
  const path = asked ?? (environment['SOURCE_TRAILER_DATA_CACHE'] || userFolder(environment));
  await mkdir(path, { recursive: true, mode: 0o700 });
  await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  return path;
}

/** Throws where the user has none, as with an arbitrary uid in a container. */
function userFolder({ LOCALAPPDATA: local, XDG_CACHE_HOME: xdg }: NodeJS.ProcessEnv): string {
  const { platform } = process;
  const caches = platform === 'win32' ? local : xdg;
  if (caches) return join(caches, NAME);
  const home = platform === 'win32' ? '' : homedir();
  if (home === '' || home === '/') throw new Error('there is no home directory');
  return join(home, platform === 'darwin' ? join('Library', 'Caches') : '.cache', NAME);
}
