import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { messageOf } from '../errors.ts';
import { openCacheFolder } from './cache-folder.ts';
import { TOKEN } from '../limits.ts';
import { withFileLock } from './file-lock.ts';
import type { LockParts } from './file-lock.ts';
import { createMemoryLock } from './memory-lock.ts';
import { cacheText, emptyCache, mergedCaches, parseCache } from './token-cache.ts';
import type { TokenCache } from './token-cache.ts';
import type { TokenStore } from './token-store.ts';

export interface FileStoreParts extends Omit<LockParts, 'signal'> {
  readonly folder: string;
  /** Whose tokens: the file bears its name. */
  readonly credential: string;
  /** Local time, ms since the epoch. */
  readonly now: () => number;
  /** Told once if the file cannot be locked or written; tokens are then kept for this process only. */
  readonly onUnwritable: (reason: string) => Promise<void>;
}

/** Opens the store of tokens in the folder asked for, null for the usual one; null if there is none, which `onUnwritable` has been told. */
export type OpenTokenStore = (
  folder: string | null,
  parts: Omit<FileStoreParts, 'folder'>,
) => Promise<TokenStore | null>;

/** A store of tokens in a file (see `openCacheFolder` for where, `createFileStore` for how). */
export const openFileStore: OpenTokenStore = async (asked, parts) => {
  const folder = await openCacheFolder(asked, process.env);
  if (folder.path !== null) return createFileStore({ ...parts, folder: folder.path });
  await parts.onUnwritable(folder.reason);
  return null;
};

/**
 * Keeps tokens in a file for this user alone (mode 0600), replaced as a whole so that a reader never sees half of it. A
 * file that is damaged, belongs to another user or can be read by others counts for nothing and is replaced.
 */
export function createFileStore(parts: FileStoreParts): TokenStore {
  const { folder, credential, now } = parts;
  const path = join(folder, `tokens-${credential}.json`);
  const lock = createMemoryLock();
  /** What could not be written, if so. */
  let unwritten: TokenCache | null = null;

  const read = async (): Promise<TokenCache> => {
    const text = await readPrivate(path);
    const kept = text === null ? emptyCache(credential) : parseCache(text, credential);
    return unwritten === null ? kept : mergedCaches(kept, unwritten);
  };
  const forget = async (reason: string, cache: TokenCache): Promise<void> => {
    if (unwritten === null) await parts.onUnwritable(reason);
    unwritten = cache;
  };
  const save = async (cache: TokenCache): Promise<void> => {
    try {
      await replace(path, cacheText(cache, now()));
      unwritten = null;
    } catch (error) {
      await forget(messageOf(error), cache);
    }
  };
  return {
    read,
    exclusively: (work, signal) =>
      lock(
        () =>
          withFileLock(`${path}.lock`, { ...parts, signal }, async (unlocked) =>
            work(await read(), unlocked === null ? save : (cache) => forget(unlocked, cache)),
          ),
        signal,
      ),
  };
}

async function readPrivate(path: string): Promise<string | null> {
  try {
    // no link of somebody else's making is followed
    const file = await open(
      path,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
    try {
      const stats = await file.stat();
      const { uid, mode, size } = stats;
      const isOurs = process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0);
      return stats.isFile() && isOurs && size <= TOKEN.mostBytes ? await file.readFile('utf8') : null;
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}

/** Under the lock, so what lies where the new text is written is what a process left that was killed. */
async function replace(path: string, text: string): Promise<void> {
  const next = `${path}.next`;
  try {
    await rm(next, { force: true });
    const file = await open(next, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true }).catch(() => undefined);
    throw error;
  }
}
