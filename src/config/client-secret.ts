import { readTextFile, type OpenFile } from './files.ts';

const VARIABLE = 'SOURCE_TRAILER_DATA_CLIENT_SECRET';
const FILE_VARIABLE = `${VARIABLE}_FILE`;

/** The cure for a config without a secret. */
export const SECRET_ELSEWHERE = `set it, or the environment variable ${VARIABLE}, or ${FILE_VARIABLE} to a file that contains it`;

/**
 * Returns the secret that the environment holds or names a file for; null if neither. Line ends at the end of the file do not belong to
 * it. Throws a config_error CONFIG_INVALID if the file cannot be read or is empty.
 */
export async function environmentSecret(env: NodeJS.ProcessEnv, open: OpenFile): Promise<string | null> {
  const value = env[VARIABLE] ?? '';
  if (value !== '') return value;
  const path = env[FILE_VARIABLE] ?? '';
  if (path === '') return null;
  return (await readTextFile('client_secret', path, open)).replace(/[\r\n]+$/, '');
}
