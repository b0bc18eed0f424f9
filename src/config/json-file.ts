import { isUtf8 } from 'node:buffer';

import { configError, messageOf } from '../errors.ts';
import { INPUT } from '../limits.ts';

/** Opens a file for reading, or throws what keeps it from being; what goes wrong later comes out of the pieces. */
export type OpenFile = (path: string) => AsyncIterable<Buffer>;

const CODES = { config: 'CONFIG_INVALID', catalog: 'CATALOG_INVALID' } as const;

/** The document in a JSON file; an error says what is wrong with it, never a word of its text: it holds the secret. */
export async function readJsonFile(what: keyof typeof CODES, path: string, open: OpenFile): Promise<unknown> {
  const bad = (words: string): Error => configError(CODES[what], `${what} ${path}: ${words}.`);
  const pieces: Buffer[] = [];
  try {
    let size = 0;
    for await (const piece of open(path)) {
      size += piece.length;
      if (size > INPUT.maxBytes) throw bad(`is larger than ${INPUT.maxBytes / 1024 ** 2} MiB`);
      pieces.push(piece);
    }
  } catch (error) {
    const problem = fileProblem(error);
    throw problem === null ? error : bad(problem);
  }
  const bytes = Buffer.concat(pieces);
  if (!isUtf8(bytes)) throw bad('is not text in UTF-8; save it in that encoding');
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (text.trim() === '') throw bad('is empty');
  const fault = findJsonFault(text);
  if (fault !== null) throw bad(`is not valid JSON at ${fault}`);
  return JSON.parse(text);
}

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

/** White space and the token after it, which is empty where none can be read; of a string the opening quote. */
const TOKEN = /[ \t\n\r]*([{}[\],:"]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|)/y;
/** A part of what is in a string: a loop over single characters would exhaust the stack of the regular expression. */
const STRING_PART = /[\u0020\u0021\u0023-\u005b\u005d-\uffff]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

const SCALAR = '"-0123456789tfn';
/** The first characters of the tokens that may stand at a place of the grammar, by the words for it. */
const STARTS = {
  'a value': `{[${SCALAR}`,
  'a value or ]': `{[]${SCALAR}`,
  'a name in double quotes': '"',
  'a name in double quotes or }': '"}',
  'a colon': ':',
  'a comma or }': ',}',
  'a comma or ]': ',]',
  'the end of the file': '',
} as const;
type Place = keyof typeof STARTS;
/** Brackets in one another at most: far beyond what anything here means, far below what exhausts the stack. */
const DEEPEST = 500;
const TOO_DEEP = `a value or an end (at most ${DEEPEST} brackets in one another)`;

/**
 * The first place at which a text stops being JSON, or nests deeper than any input of ours, and what is expected there; null
 * if there is none. JSON.parse does not always tell the place, and where it does not it quotes the text, which may be secret.
 */
export function findJsonFault(text: string): string | null {
  /** What is expected behind the value within each open bracket, from the outside in. */
  const behind: Place[] = ['the end of the file'];
  let place: Place = 'a value';
  for (let end = 0; ;) {
    TOKEN.lastIndex = end;
    const [whole = '', token = ''] = TOKEN.exec(text) ?? [];
    const at = end + whole.length - token.length;
    end = token === '"' ? endOfString(text, at) : at + token.length;
    const first = token.charAt(0);
    if (at === text.length && place === 'the end of the file') return null;
    if (end === at || !STARTS[place].includes(first)) return faultAt(text, at, place);
    if (first === '{') behind.push('a comma or }');
    if (first === '[') behind.push('a comma or ]');
    if (behind.length > DEEPEST + 1) return faultAt(text, at, TOO_DEEP);
    if (first === '}' || first === ']') behind.pop();
    place = placeBehind(first, place, behind.at(-1) ?? 'the end of the file');
  }
}

/** The place after the string that starts there; the start itself if none does. */
function endOfString(text: string, start: number): number {
  let end = start + 1;
  STRING_PART.lastIndex = end;
  while (STRING_PART.test(text)) end = STRING_PART.lastIndex;
  return text[end] === '"' ? end + 1 : start;
}

function placeBehind(token: string, before: Place, behindValue: Place): Place {
  if (token === '{') return 'a name in double quotes or }';
  if (token === '[') return 'a value or ]';
  if (token === ':') return 'a value';
  if (token === ',') return behindValue === 'a comma or }' ? 'a name in double quotes' : 'a value';
  return token === '"' && before.startsWith('a name') ? 'a colon' : behindValue;
}

/** Lines and columns count from 1, columns in UTF-16 units as editors do. */
function faultAt(text: string, at: number, expected: string): string {
  const before = text.slice(0, at).split(/\r\n|\n|\r/);
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}: ${expected} is expected there`;
}
