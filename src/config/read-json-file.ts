import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import { isUtf8 } from '../builtins.ts';
import { configError } from '../errors.ts';
import type { ErrorCode } from '../errors.ts';
import { fileProblem } from './file-problem.ts';
import { findJsonFault } from './json-fault.ts';

/** Opens a file for reading; what is wrong with it comes out of the stream. */
export type OpenFile = (path: string) => Readable;

/**
 * The document in a JSON file. `what` names it in messages ("config", "catalog"). A byte order mark is passed over.
 *
 * @throws config_error with the given code that names the file and what is wrong with it, never a word of its text:
 *   a config holds the secret
 */
export async function readJsonFile(
  what: string,
  path: string,
  open: OpenFile,
  code: ErrorCode,
): Promise<unknown> {
  const bad = (words: string): Error => configError(code, `${what} ${path}: ${words}.`);
  let bytes: Buffer;
  try {
    bytes = await buffer(open(path));
  } catch (error) {
    const problem = fileProblem(error);
    throw problem === null ? error : bad(problem);
  }
  if (!isUtf8(bytes)) throw bad('is not text in UTF-8; save it in that encoding');
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (text.trim() === '') throw bad('is empty');
  const fault = findJsonFault(text);
  if (fault !== null)
    throw bad(
      `is not valid JSON at line ${fault.line}, column ${fault.column}: ${fault.expected} is expected there`,
    );
  return JSON.parse(text);
}
