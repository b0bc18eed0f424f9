import type { Row } from '../rows/row.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/** Unicode newlines, which JSON allows unescaped in strings. */
const UNICODE_LINE_ENDS = ['\u0085', '\u2028', '\u2029'];
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

/** By page, because it has many rows. */
const knownLineEnds = new WeakMap<Buffer, ReturnType<typeof findLineEnds>>();

function lineEndsIn(page: Buffer) {
  const lineEnds = knownLineEnds.get(page) ?? findLineEnds(page);
  knownLineEnds.set(page, lineEnds);
  return lineEnds;
}

function findLineEnds(page: Buffer) {
  return {
    hasUnicode: UNICODE_LINE_ENDS.some((end) => page.includes(end)),
    hasRaw: page.includes(LINE_FEED) || page.includes(CARRIAGE_RETURN),
  };
}

/** Copies a row onto one line; returns the index after the copy. */
function copyOnOneLine({ bytes, start, end }: Row, lines: Buffer, place: number): number {
  const { hasUnicode, hasRaw } = lineEndsIn(bytes);
  const length = hasUnicode
    ? lines.write(escapeLineEnds(bytes.toString('utf8', start, end)), place)
    : bytes.copy(lines, place, start, end);
  const after = place + length;
  // in valid JSON raw line feeds and carriage returns occur only between tokens
  if (hasRaw)
    for (let at = place; at < after; at++)
      if (lines[at] === LINE_FEED || lines[at] === CARRIAGE_RETURN) lines[at] = SPACE;
  return after;
}

/** Returns the same JSON with Unicode line ends escaped. */
export function escapeLineEnds(json: string): string {
  return json.replaceAll(
    /[\u0085\u2028\u2029]/g,
    (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
