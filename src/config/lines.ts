import { pipeline } from 'node:stream';
import split2 from 'split2';

const LINE_FEED = 0x0a;

/** How a message begins, also as other tools write it, with blanks. */
export const MESSAGE = String.raw`\{\s*"type"\s*:\s*"`;
const BEGIN = new RegExp(MESSAGE);

/** Controls of a terminal, such as colors: no JSON contains the byte with which they begin. */
// eslint-disable-next-line no-control-regex
const CONTROLS = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[@-Z\\^_])/g;
/** How a terminal shows the keys that stop a program. */
const KEYS = /^(?:\s*\^[CDZ\\])+/;

/**
 * Returns a line of saved output without what others wrote before its message: the text and the controls of a terminal (`docker run -t`), or
 * the time, level or name that a log collector adds to each line. No beginning of JSON is taken for it.
 */
export function withoutLead(line: string): string {
  const plain = (line.includes('\u001b') ? line.replaceAll(CONTROLS, '') : line).replace(KEYS, '');
  const at = plain.search(BEGIN);
  const lead = plain.slice(0, Math.max(0, at));
  const hasWords = /[\p{L}\p{N}\r]/u.test(lead) && !lead.includes('"');
  return hasWords ? plain.slice(at) : plain;
}

/** The beginning of an object in JSON after what `withoutLead` removes before a message; the line if there is none. */
export function objectAfterLead(line: string): string {
  const at = line.search(/\{\s*"/);
  return at > 0 && !line.slice(0, at).includes('"') ? line.slice(at) : line;
}

/**
 * True for a line that is no part of a message: words without quotes, such as a progress line or what npm writes, or a line that begins with
 * words, as other tools log (`DATADOG TRACER CONFIGURATION - {…}`), unless the line before it was cut (`isRest`).
 */
export function isOtherText(line: string, isRest: boolean): boolean {
  if (!/[A-Za-z]{2}/.test(line) || /[\0\ufffd]/.test(line)) return false;
  return !line.includes('"') || (!isRest && /^\s*[A-Za-z(>]\S* /.test(line));
}

/**
 * The lines of a text in UTF-8, without their line feeds; bytes that are not valid UTF-8 are replaced by U+FFFD. Takes time in
 * proportion to the text. Throws what `tooLong` returns at a line of more than `maxBytes`.
 */
export function linesOf(
  pieces: AsyncIterable<Buffer>,
  maxBytes: number,
  tooLong: () => Error,
): AsyncIterable<string> {
  // a failure ends the iteration too
  return pipeline(wholeLines(pieces, maxBytes, tooLong), split2('\n'), () => undefined);
}

/** Joins pieces until a line ends: what split2 keeps of a line, it splits again with each piece. */
async function* wholeLines(pieces: AsyncIterable<Buffer>, maxBytes: number, tooLong: () => Error) {
  let begun: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    const end = piece.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      yield Buffer.concat([...begun, piece.subarray(0, end)]);
      begun = [];
      size = 0;
    }
    begun.push(piece.subarray(end));
    size += piece.length - end;
    if (size > maxBytes) throw tooLong();
  }
  if (size > 0) yield Buffer.concat(begun);
}
