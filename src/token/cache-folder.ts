import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { messageOf } from '../errors.ts';

const NAME = 'source-trailer-data';

/** Where tokens are kept between processes: a folder that can be written to, or why there is none. */
export type CacheFolder = { readonly path: string } | { readonly path: null; readonly reason: string };

/**
 * The folder for kept tokens: the one asked for on the command line, else `SOURCE_TRAILER_DATA_CACHE`, else one in the
 * user's cache directory. It is made, for this user alone, if it is not there. An absent or read-only place is no error.
 */
export async function openCacheFolder(
  asked: string | null,
  environment: NodeJS.ProcessEnv,
): Promise<CacheFolder> {
  const path = asked ?? filled(environment['SOURCE_TRAILER_DATA_CACHE']) ?? userFolder(environment);
  if (path === null) return { path: null, reason: 'there is no home directory' };
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return { path };
  } catch (error) {
    return { path: null, reason: messageOf(error) };
  }
}

function userFolder(environment: NodeJS.ProcessEnv): string | null {
  const home = homeFolder();
  const local = filled(environment['LOCALAPPDATA']);
  if (process.platform === 'win32') return local === null ? null : join(local, NAME);
  const xdg = filled(environment['XDG_CACHE_HOME']);
  if (xdg !== null) return join(xdg, NAME);
  if (home === null) return null;
  return process.platform === 'darwin' ? join(home, 'Library', 'Caches', NAME) : join(home, '.cache', NAME);
}

/** Null where the user has none, as with an arbitrary uid in a container. */
function homeFolder(): string | null {
  try {
    const home = homedir();
    return home === '' || home === '/' ? null : home;
  } catch {
    return null;
  }
}

function filled(value: string | undefined): string | null {
  return value === undefined || value === '' ? null : value;
}
