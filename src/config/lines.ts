import { pipeline } from 'node:stream';
import split2 from 'split2';

const LINE_FEED = 0x0a;

/** Text that a terminal shows before a message or instead of one, such as a progress line, up to the carriage return after it. */
const TERMINAL_TEXT = /^(?:[^{}"]*\r(?=\{"type":)|[^{}"]*[A-Za-z]{2}[^{}"]*\r(?:\^[CDZ\\])*\s*$)/;

/** Controls of a terminal, such as colors: no JSON contains the byte with which they begin. */
// eslint-disable-next-line no-control-regex
const CONTROLS = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[@-Z\\^_])/g;
/** How a terminal shows the keys that stop a program. */
const KEYS = /^(?:\s*\^[CDZ\\])+/;

/** Returns a line of saved output without the text of a terminal, which may be saved with it (`docker run -t`). */
export function withoutTerminalText(line: string): string {
  const plain = line.includes('\u001b') ? line.replaceAll(CONTROLS, '') : line;
  return plain.replace(KEYS, '').replace(TERMINAL_TEXT, '');
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
