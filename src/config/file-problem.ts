import { messageOf } from '../errors.ts';

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'is a directory, not a file',
  EACCES: 'may not be read by this user',
};

/** Why a file cannot be read, for a person; null if the error does not come from the file system. */
export function fileProblem(error: unknown): string | null {
  if (!(error instanceof Error) || !('syscall' in error)) return null;
  const code = 'code' in error ? String(error.code) : '';
  return WORDS[code] ?? `cannot be read (${messageOf(error)})`;
}
