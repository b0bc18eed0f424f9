import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Clock } from '../clock.ts';
import { readOwnFile, type OwnFile } from '../config/files.ts';
import { messageOf } from '../errors.ts';
import { TOKEN } from '../limits.ts';
import { onceEach } from '../protocol/messages.ts';
import {
  cacheText,
  emptyCache,
  mergedCaches,
  parseCache,
  signed,
  verified,
  type TokenCache,
} from './cache.ts';
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
  readonly credential: string; // owner of the tokens
  readonly fileKey: string; // part of the file name
  readonly secret: string; // signs the file
  readonly warn: (message: string) => Promise<void>;
  readonly onUnwritable: (reason: string) => Promise<void>; // if the file cannot be written, tokens stay in memory
}

/** Opens a file store in a directory (null: the default one), which need not be writable. If there is none, reports why and returns null. */
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

/**
 * Uses a file of mode 0600 that is replaced as a whole. Volumes change owners and modes, so the file is used whatever they are if its
 * HMAC is right. What is ignored, or safe but not as it should be, is a WARN, once per process.
 */
export function createFileStore(directory: string, deps: FileStoreDeps): TokenStore {
  const { credential, fileKey, secret, now } = deps;
  const path = join(directory, `tokens-${fileKey}.json`);
  const lock = createMemoryLock();
  const warnOnce = onceEach(deps.warn);
  let unwritten: TokenCache | null = null;
  const readFile = async (): Promise<TokenCache> => {
    const file = readOwnFile(path, TOKEN.maxBytes);
    if (file === null) return emptyCache(credential);
    const found = cacheIn(file, credential, secret);
    // what is no file cannot be replaced either, which is reported then
    if (typeof found === 'string' && file.problem === null)
      await warnOnce(`the token cache ${path} is ignored: ${found}`);
    if (typeof found === 'string') return emptyCache(credential);
    if (file.mode !== null)
      await warnOnce(`others can read the tokens in ${path} (mode 0${file.mode.toString(8)})`);
    return found;
  };
  const read = async (): Promise<TokenCache> => {
    const stored = await readFile();
    return unwritten === null ? stored : mergedCaches(stored, unwritten, now());
  };
  const save = async (cache: TokenCache, lockFailure: string | null): Promise<void> => {
    // without a lock, another process may have written since
    const whole = lockFailure === null ? cache : mergedCaches(await readFile(), cache, now());
    try {
      const text = signed(cacheText(whole, now()), secret);
      const refusal = await replace(path, text, lockFailure === null ? 'next' : `${randomUUID()}.next`);
      unwritten = null;
      if (refusal !== null) await warnOnce(`the token cache ${path} is overwritten in place (${refusal})`);
      if (lockFailure !== null) await warnOnce(withoutLock(path, lockFailure));
    } catch (error) {
      if (unwritten === null) await deps.onUnwritable(messageOf(error));
      unwritten = cache;
    }
  };
  const exclusively: TokenStore['exclusively'] = (work, signal) => {
    const locked = async (failure: string | null) => work(await read(), (cache) => save(cache, failure));
    return lock(() => withFileLock(`${path}.lock`, { ...deps, signal }, locked), signal);
  };
  return { file: path, read, exclusively };
}

function withoutLock(path: string, reason: string): string {
  const risk = 'processes that start at the same moment may each request a token';
  return `the token cache ${path} is used without a lock (${reason}): ${risk}`;
}

/** Returns the cache in a file, or why it cannot be used. */
function cacheIn({ fault, text }: OwnFile, credential: string, secret: string): TokenCache | string {
  if (fault !== null) return fault;
  const document = verified(text, secret);
  if (document === null)
    return 'it is damaged, or was not written with this client_secret (its signature is missing or wrong)';
  return parseCache(document, credential) ?? 'it has an unknown format';
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

const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW, O_NONBLOCK } = constants;
/** How a file is opened for writing; a link or a pipe in its place is an error. */
const CREATE = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK;

/**
 * Replaces a file by way of a temporary one, which nobody else may use: under the lock, an existing one can only come from a killed
 * process. Where the volume refuses to rename, overwrites the file, and returns why: a reader notices a text that was cut.
 */
async function replace(path: string, text: string, suffix: string): Promise<string | null> {
  const next = `${path}.${suffix}`;
  const problem = readOwnFile(path, 0)?.problem ?? null;
  if (problem !== null) throw new Error(problem);
  try {
    await rm(next, { force: true });
    await writeText(next, text);
    const refusal = await rename(next, path).then(() => null, messageOf);
    if (refusal !== null) await writeText(path, text);
    return refusal;
  } finally {
    await rm(next, { force: true });
  }
}

async function writeText(path: string, text: string): Promise<void> {
  const file = await open(path, CREATE, 0o600);
  try {
    await file.writeFile(text);
    // not every volume can; a text that is lost in a power cut costs a token
    await file.sync().catch(() => undefined);
  } finally {
    await file.close();
  }
}

/** The variable that names the directory for tokens. */
export const CACHE = 'SOURCE_TRAILER_DATA_CACHE';

/** Returns the path of the directory for tokens, created as a private one if it does not exist; it may be read-only. */
export async function openCacheDirectory(directory: string | null, env: NodeJS.ProcessEnv) {
  const path = resolve(directory ?? (env[CACHE] || userDirectory(env)));
  await makeDirectory(path);
  return path;
}

/**
 * Creates a directory, and those above it. The recursive mkdir of Node.js never ends where a file system answers that the new directory does
 * not exist, as autofs and /proc do.
 */
async function makeDirectory(path: string): Promise<void> {
  const found = await stat(path).catch(nullIfAbsent);
  if (found?.isDirectory() === true) return;
  if (found !== null) throw new Error(`${path} is not a directory`);
  const above = dirname(path);
  if (above !== path) await makeDirectory(above);
  await mkdir(path, { mode: 0o700 }).catch(async (error: unknown) => {
    // another process may have created it
    if (!(await isDirectory(path))) throw error;
  });
}

/** Any other error says why a directory cannot be used, although it may exist. */
function nullIfAbsent(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ENOENT') throw error;
  return null;
}

function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Throws if the user has no home directory, as with an arbitrary uid in a container. */
function userDirectory({ LOCALAPPDATA: local, XDG_CACHE_HOME: xdg }: NodeJS.ProcessEnv): string {
  const { platform } = process;
  const caches = (platform === 'win32' ? local : xdg) ?? '';
  // others are to be ignored (XDG Base Directory Specification)
  if (isAbsolute(caches)) return join(caches, NAME);
  const home = platform === 'win32' ? '' : homedir();
  if (home === '' || home === '/') throw new Error('there is no home directory');
  return join(home, platform === 'darwin' ? join('Library', 'Caches') : '.cache', NAME);
}
