import { SECRET_FILE, readTextFile, type OpenFile } from './files.ts';

const VARIABLE = 'SOURCE_TRAILER_DATA_CLIENT_SECRET';

/** The cure for a config without a secret. */
export const SECRET_ELSEWHERE = `set it, or the environment variable ${VARIABLE}, or ${SECRET_FILE} to a file that contains it`;

/** A secret, and the variable that it is from. */
export type EnvironmentSecret = Readonly<{ secret: string; variable: string }>;

/**
 * Returns the secret that the environment holds or names a file for; null if neither. Line ends at its end do not belong to it. Throws
 * a config_error CONFIG_INVALID if the file cannot be read or is empty.
 */
export async function environmentSecret(
  env: NodeJS.ProcessEnv,
  open: OpenFile,
): Promise<EnvironmentSecret | null> {
  const value = withoutLineEnds(env[VARIABLE] ?? '');
  if (value !== '') return { secret: value, variable: VARIABLE };
  const path = env[SECRET_FILE] ?? '';
  if (path === '') return null;
  const text = await readTextFile(SECRET_FILE, path, open);
  return { secret: withoutLineEnds(text), variable: SECRET_FILE };
}

function withoutLineEnds(text: string): string {
  return text.replace(/[\r\n]+$/, '');
}
