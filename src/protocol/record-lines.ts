import { rowBytes, type Row } from '../rows/row.ts';

const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;

/** Unicode line ends, which JSON allows unescaped in strings. */
const UNICODE_LINE_ENDS = /[\u0085\u2028\u2029]/g;
const LINE_END_BYTES = ['\u0085', '\u2028', '\u2029'].map((end) => Buffer.from(end));
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
  return { hasUnicode: hasUnicodeLineEnd(page), hasRaw: page.includes(LINE_FEED) || page.includes(RETURN) };
}

const hasUnicodeLineEnd = (text: Buffer): boolean => LINE_END_BYTES.some((end) => text.includes(end));

/** Copies the text of a row without its line ends; returns the index after the copy. */
function copyOnOneLine(row: Row, lines: Buffer, from: number): number {
  const { hasRaw, hasUnicode } = lineEndsIn(row.bytes);
  const text = rowBytes(row);
  const isEscaped = hasUnicode && hasUnicodeLineEnd(text);
  const to = from + (isEscaped ? lines.write(escapeLineEnds(text.toString()), from) : text.copy(lines, from));
  // in valid JSON raw line feeds and carriage returns occur only between tokens
  if (hasRaw)
    for (let at = from; at < to; at++) if (lines[at] === LINE_FEED || lines[at] === RETURN) lines[at] = SPACE;
  return to;
}

/** Returns the same JSON with Unicode line ends escaped. */
export function escapeLineEnds(json: string): string {
  return json.replaceAll(UNICODE_LINE_ENDS, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
