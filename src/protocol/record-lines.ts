import type { Row } from './row.ts';

const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const BLANK = 0x20;

/** Line ends of Unicode, which may stand raw inside of strings, and the escapes that are their equals. */
const UNICODE_LINE_ENDS = ['\u0085', '\u2028', '\u2029'].map((end) => {
  const escaped = `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return [end, escaped] as const;
});

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
    const from = at + head.length;
    at = from + bytes.copy(lines, from, start, end);
    if (hasLineEnds) blankLineEnds(lines, from, at);
    lines.set(tail, at);
    at += tail.length;
  }
  return UNICODE_LINE_ENDS.reduce<Buffer>(
    (text, [end, escaped]) => replaceAll(text, Buffer.from(end), Buffer.from(escaped)),
    lines,
  );
}

/** In JSON raw line feeds and carriage returns stand between tokens only. */
function blankLineEnds(lines: Buffer, start: number, end: number): void {
  for (let at = start; at < end; at++) if (lines[at] === LINE_FEED || lines[at] === RETURN) lines[at] = BLANK;
}

function replaceAll(text: Buffer, what: Buffer, by: Buffer): Buffer {
  let at = text.indexOf(what);
  if (at === -1) return text;
  // a list of what stands between them could take many times the memory; of this, what is not written takes none
  const replaced = Buffer.allocUnsafe(text.length * (by.length / what.length));
  let [from, to] = [0, 0];
  for (; at !== -1; at = text.indexOf(what, from)) {
    to += text.copy(replaced, to, from, at);
    to += by.copy(replaced, to);
    from = at + what.length;
  }
  return replaced.subarray(0, to + text.copy(replaced, to, from));
}

/** A JSON text without the line ends that may stand raw inside its strings. */
export function escapeLineEnds(json: string): string {
  return UNICODE_LINE_ENDS.reduce((text, [end, escaped]) => text.replaceAll(end, escaped), json);
}
