import type { Row } from '../rows/row.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/** Unicode newlines, which JSON allows unescaped in strings, and the equivalent escapes. */
const UNICODE_LINE_ENDS = ['\u0085', '\u2028', '\u2029'].map((end) => {
  const escaped = `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return { end, escaped, bytes: Buffer.from(end), escapedBytes: Buffer.from(escaped) };
});
const MAX_GROWTH = 3; // bytes of an escape for each byte that it replaces

/**
 * Returns RECORD lines (protocol: AirbyteRecordMessage), in a buffer from `allocate`, which may return a larger one. `data` is the
 * text of the row exactly as the API sent it, neither parsed nor serialized. Only characters that would break a line-based reader
 * are replaced by equivalents.
 */
export function recordLines(
  stream: string,
  rows: readonly Row[],
  emittedAtMs: number,
  allocate: (length: number) => Buffer,
): Buffer {
  const name = escapeLineEnds(JSON.stringify(stream));
  const head = Buffer.from(`{"type":"RECORD","record":{"stream":${name},"emitted_at":${emittedAtMs},"data":`);
  const tail = Buffer.from('}}\n');
  let size = rows.length * (head.length + tail.length);
  for (const { bytes, start, end } of rows)
    size += (end - start) * (lineEndsIn(bytes).hasUnicode ? MAX_GROWTH : 1);
  const lines = allocate(size);
  let at = 0;
  for (const row of rows) {
    lines.set(head, at);
    at = copyOnOneLine(row, lines, at + head.length);
    lines.set(tail, at);
    at += tail.length;
  }
  return lines.subarray(0, at);
}

/** The line ends that each page contains: rows of a large page arrive in several calls. */
const knownLineEnds = new WeakMap<Buffer, ReturnType<typeof findLineEnds>>();

function lineEndsIn(page: Buffer) {
  const lineEnds = knownLineEnds.get(page) ?? findLineEnds(page);
  knownLineEnds.set(page, lineEnds);
  return lineEnds;
}

function findLineEnds(page: Buffer) {
  const hasUnicode = UNICODE_LINE_ENDS.some(({ bytes }) => page.includes(bytes));
  return { hasUnicode, hasRaw: page.includes(LINE_FEED) || page.includes(CARRIAGE_RETURN) };
}

const mayBeLineEnd = (byte: number | undefined): boolean => byte === 0xc2 || byte === 0xe2;
const lineEndAt = (page: Buffer, at: number) =>
  UNICODE_LINE_ENDS.find(({ bytes }) => bytes.every((byte, index) => page[at + index] === byte));

/** Copies a row onto one line; returns the index after the copy. */
function copyOnOneLine({ bytes: page, start, end }: Row, lines: Buffer, place: number): number {
  const { hasUnicode, hasRaw } = lineEndsIn(page);
  let to = place;
  let copied = start;
  for (let at = hasUnicode ? start : end; at < end; at++) {
    const found = mayBeLineEnd(page[at]) ? lineEndAt(page, at) : undefined;
    if (found === undefined) continue;
    to += page.copy(lines, to, copied, at);
    to += found.escapedBytes.copy(lines, to);
    copied = at + found.bytes.length;
  }
  to += page.copy(lines, to, copied, end);
  // in valid JSON raw line feeds and carriage returns occur only between tokens
  if (hasRaw)
    for (let at = place; at < to; at++)
      if (lines[at] === LINE_FEED || lines[at] === CARRIAGE_RETURN) lines[at] = SPACE;
  return to;
}

/** Returns the same JSON with Unicode line ends escaped. */
export function escapeLineEnds(json: string): string {
  return UNICODE_LINE_ENDS.reduce((text, { end, escaped }) => text.replaceAll(end, escaped), json);
}
