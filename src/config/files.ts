import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { configError, type ConnectorError } from '../errors.ts';
import { INPUT } from '../limits.ts';
import { InputError, inUtf8, utf8Text } from './encoding.ts';
import { findJsonFault, findRepeatedName } from './faults.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Opens a file for reading; throws if it cannot be opened. Later errors are thrown by the iteration. */
export type OpenFile = (path: string) => AsyncIterable<Buffer>;

/** The variable that names the file of the secret. */
export const SECRET_FILE = 'SOURCE_TRAILER_DATA_CLIENT_SECRET_FILE';

const CODES = {
  config: 'CONFIG_INVALID',
  [SECRET_FILE]: 'CONFIG_INVALID',
  catalog: 'CATALOG_INVALID',
  state: 'STATE_INVALID',
} as const;

const ABSENT = 'there is no such file';

/** The home directory or a variable in a path. */
const UNEXPANDED = /^~|\$[{(]?\w|%\w+%/;

/** What is wrong with a path that a shell would have changed, as it does not after `=` or in files of variables; null if nothing shows. */
export function unexpandedHint(path: string): string | null {
  if (!UNEXPANDED.test(path)) return null;
  return 'it contains ~ or a variable, which only a shell replaces, and not everywhere: write the whole path';
}

/** What a shell passes if it is told to insert a file: its text, also without quotes. */
const CONTENT = /^\s*'?[{[].*:|\n/s;

/**
 * The config_error for an input file. `problem` must not quote its text, which may contain the secret; the value of the variable is not
 * quoted either, because some set it to the secret itself, and neither is a document that was passed instead of its path.
 */
export function invalidInput(kind: keyof typeof CODES, path: string, problem: string): ConnectorError {
  const hint = problem === ABSENT ? unexpandedHint(path) : null;
  const whole = hint === null ? problem : `${problem}; ${hint}`;
  const line = whole.endsWith('?') ? whole : `${whole}.`;
  if (kind === SECRET_FILE)
    return configError(
      CODES[kind],
      `${kind}: ${line} Set it to the path of a file that contains the secret; its value is not shown, because it may be the secret itself.`,
    );
  if (CONTENT.test(path))
    return configError(
      CODES[kind],
      `--${kind} takes the path of a file, not a document. Write the document to a file, and pass its path; for stdin, -.`,
    );
  return configError(CODES[kind], `${kind} ${path}: ${line}`);
}

/** Returns the document in a JSON file; throws the config_error of `invalidInput`. */
export async function readJsonFile(kind: keyof typeof CODES, path: string, open: OpenFile): Promise<unknown> {
  return jsonIn(kind, path, await readTextFile(kind, path, open));
}

/**
 * Returns the document in the text of a file, also if it is in a JSON string, as tools write it that encode twice; throws the config_error
 * of `invalidInput`.
 */
export function jsonIn(kind: keyof typeof CODES, path: string, text: string): unknown {
  const fault = findJsonFault(text);
  if (fault !== null) throw invalidInput(kind, path, `is not valid JSON at ${fault}`);
  const repeated = findRepeatedName(text);
  if (repeated !== null) throw invalidInput(kind, path, `is ambiguous at ${repeated}`);
  const document: unknown = JSON.parse(text);
  return typeof document === 'string' && isObject(parsedJson(document))
    ? jsonIn(kind, path, document)
    : document;
}

/** Returns the text of a file, which is not empty; throws the config_error of `invalidInput`. */
export async function readTextFile(kind: keyof typeof CODES, path: string, open: OpenFile): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  let text = '';
  try {
    for await (const piece of inUtf8(open(path))) {
      size += piece.length;
      if (size > INPUT.maxBytes)
        throw invalidInput(kind, path, `is larger than ${INPUT.maxBytes / 1024 ** 2} MiB`);
      pieces.push(piece);
    }
    text = utf8Text(Buffer.concat(pieces));
  } catch (error) {
    const problem = fileProblem(error);
    throw problem === null ? error : invalidInput(kind, path, problem);
  }
  if (text.trim() === '') throw invalidInput(kind, path, 'is empty');
  return text;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function inSnakeCase(name: string): string {
  return name.replaceAll(/[a-z][A-Z]/g, ([before, after]) => `${before}_${after?.toLowerCase()}`);
}

/** Returns an object with its own keys in snake case, as the protocol has them: APIs write them in camel case. None for any other value. */
export function snakeCased(value: unknown): JsonObject {
  const members = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(members.map(([name, member]) => [inSnakeCase(name), member]));
}

/** Returns a key up to where it is no name: if YAML lacks the blank after a colon, the value, which may be a secret, is part of its key. */
export const keyName = (key: string): string => key.replace(/[:='"{[].*$/s, '…');

/** The value of a JSON text; undefined if it is not valid JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The members of a JSON object; none for any other text. */
export function membersOf(text: string): JsonObject {
  const value = parsedJson(text);
  return isObject(value) ? value : {};
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: ABSENT,
  ENOTDIR: ABSENT,
  EISDIR: 'is a directory, not a file',
  EACCES: 'cannot be read: permission denied',
};

/** Describes why a file cannot be read; null if the error comes neither from the file system nor from its encoding. */
export function fileProblem(error: unknown): string | null {
  if (error instanceof InputError) return error.message;
  const { syscall, code = '', message } = Object(error) as NodeJS.ErrnoException;
  if (syscall === undefined) return null;
  // the rest of the message is the call and the path
  return PROBLEMS[code] ?? `cannot be read (${message.split(',', 1).join('')})`;
}

/** A file of our own, or what is in its place. `id` changes with the file and its content. */
export type OwnFile = Readonly<NonNullable<ReturnType<typeof readOwnFile>>>;

/** What is at a path, and its identity; null if nothing is. */
function placeAt(path: string) {
  try {
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return null;
    const problem = found.isFile() ? null : `${path} is not a regular file`;
    return { id: `${found.ino}-${found.mtimeNs}`, problem };
  } catch (error) {
    // as in a directory of another user, or on a volume that is gone
    return { id: '', problem: `${path} ${fileProblem(error) ?? 'cannot be read'}` };
  }
}

/**
 * Reads a file of our own, which others may have replaced: never follows a link, never blocks and never fails. `problem` says why the path
 * cannot be used: what is there is not a regular file, or not within reach. `fault` says why there is no text. `mode` is null if others
 * cannot access it, or if the platform has no modes. Returns null if there is no file.
 */
export function readOwnFile(path: string, maxBytes: number) {
  const found = placeAt(path);
  if (found === null) return null;
  const file = { ...found, fault: found.problem, mode: null as number | null, text: '' };
  if (found.problem !== null) return file;
  try {
    const fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const { size, mode } = fstatSync(fd);
      if (size > maxBytes) return { ...file, fault: `it is larger than ${maxBytes} bytes` };
      const isShared = process.getuid !== undefined && (mode & 0o044) !== 0;
      const bytes = Buffer.alloc(size);
      return {
        ...file,
        mode: isShared ? mode & 0o777 : null,
        text: bytes.toString('utf8', 0, readSync(fd, bytes)),
      };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    // not readable, or replaced since
    return { ...file, fault: `it ${fileProblem(error) ?? 'cannot be read'}` };
  }
}
