import type { Row } from './row.ts';

const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const BLANK = 0x20;

/** Line ends of Unicode, which may stand raw inside of strings, and the escapes that are their equals. */
const UNICODE_LINE_ENDS = ['\u0085', '\u2028', '\u2029'].map((end) => ({
  raw: Buffer.from(end),
  escaped: Buffer.from(escapeLineEnds(end)),
}));

/**
 * RECORD lines (protocol: AirbyteRecordMessage) whose `data` is the text of each row exactly as the API sent it; only
 * what would break a line-based reader is replaced, by an equal. Nothing is parsed or written anew. They are written into
 * what `roomFor` gives for so many bytes.
 */
export function recordLines(
  stream: string,
  rows: readonly Row[],
  emittedAtMs: number,
  roomFor: (length: number) => Buffer,
): Buffer {
  const head = Buffer.from(
    `{"type":"RECORD","record":{"stream":${JSON.stringify(stream)},"emitted_at":${emittedAtMs},"data":`,
  );
  const tail = Buffer.from('}}\n');
  const length = rows.reduce((sum, { start, end }) => sum + head.length + end - start + tail.length, 0);
  const lines = roomFor(length);
  let page: Buffer | null = null;
  let hasLineEnds = false;
  let at = 0;
  for (const { bytes, start, end } of rows) {
    if (bytes !== page) {
      page = bytes;
      hasLineEnds = bytes.includes(LINE_FEED) || bytes.includes(RETURN);
    }
    lines.set(head, at);
    at += head.length;
    bytes.copy(lines, at, start, end);
    if (hasLineEnds) blankLineEnds(lines, at, at + end - start);
    at += end - start;
    lines.set(tail, at);
    at += tail.length;
  }
  return UNICODE_LINE_ENDS.reduce<Buffer>((text, { raw, escaped }) => replaceAll(text, raw, escaped), lines);
}

/** In JSON raw line feeds and carriage returns stand between tokens only. */
function blankLineEnds(lines: Buffer, start: number, end: number): void {
  for (let at = start; at < end; at++) if (lines[at] === LINE_FEED || lines[at] === RETURN) lines[at] = BLANK;
}

/** Counts first: a list of what stands between them would take many times the memory of a text that is full of them. */
function replaceAll(text: Buffer, what: Buffer, by: Buffer): Buffer {
  let count = 0;
  for (let at = text.indexOf(what); at !== -1; at = text.indexOf(what, at + what.length)) count++;
  if (count === 0) return text;
  const replaced = Buffer.allocUnsafe(text.length + count * (by.length - what.length));
  let from = 0;
  let to = 0;
  for (let at = text.indexOf(what); at !== -1; at = text.indexOf(what, from)) {
    to += text.copy(replaced, to, from, at);
    to += by.copy(replaced, to);
    from = at + what.length;
  }
  text.copy(replaced, to, from);
  return replaced;
}

/** A JSON text without the line ends that may stand raw inside its strings. */
export function escapeLineEnds(json: string): string {
  return json.replaceAll(
    /[\u0085\u2028\u2029]/g,
    (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
