import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { randomUUID } from '../builtins.ts';
import { messageOf } from '../errors.ts';
import { openCacheFolder } from './cache-folder.ts';
import { withFileLock } from './file-lock.ts';
import type { LockParts } from './file-lock.ts';
import { createMemoryLock } from './memory-lock.ts';
import { cacheText, emptyCache, mergedCaches, parseCache } from './token-cache.ts';
import type { TokenCache } from './token-cache.ts';
import type { TokenStore } from './token-store.ts';

/** Bytes; what is larger is not ours. */
const MAX_BYTES = 1024 * 1024;

export interface FileStoreParts extends Omit<LockParts, 'signal'> {
  readonly folder: string;
  /** Whose tokens: the file bears its name. */
  readonly credential: string;
  /** Local time, ms since the epoch. */
  readonly now: () => number;
  /** Told once if the file cannot be written; tokens are then kept for this process only. */
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
  const save = async (cache: TokenCache): Promise<void> => {
    try {
      await replace(path, cacheText(cache, now()));
      unwritten = null;
    } catch (error) {
      if (unwritten === null) await parts.onUnwritable(messageOf(error));
      unwritten = cache;
    }
  };
  return {
    read,
    exclusively: (work, signal) =>
      lock(
        () => withFileLock(`${path}.lock`, { ...parts, signal }, async () => work(await read(), save)),
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
      return stats.isFile() && isOurs && size <= MAX_BYTES ? await file.readFile('utf8') : null;
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}

async function replace(path: string, text: string): Promise<void> {
  const next = `${path}.${randomUUID()}`;
  try {
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
