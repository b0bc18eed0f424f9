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
  const between = Buffer.concat([Buffer.from('}}\n'), head]); // the end of a line and the beginning of the next
  const lineEndsOf = createLineEndsFinder();
  let size = head.length + rows.length * between.length;
  for (const { bytes, start, end } of rows) size += (end - start) * lineEndsOf(bytes).growth;
  const lines = allocate(size);
  lines.set(head);
  let at = head.length;
  for (const row of rows) {
    at = copyOnOneLine(row, lineEndsOf(row.bytes), lines, at);
    lines.set(between, at);
    at += between.length;
  }
  return lines.subarray(0, at - head.length);
}

/** The line ends of a page, and where each kind of Unicode line end occurs next. */
type LineEnds = ReturnType<typeof findLineEnds>;

/** By page, because the rows of a large page arrive in several calls. */
const knownLineEnds = new WeakMap<Buffer, LineEnds>();

function lineEndsIn(page: Buffer): LineEnds {
  const lineEnds = knownLineEnds.get(page) ?? findLineEnds(page);
  knownLineEnds.set(page, lineEnds);
  return lineEnds;
}

/** Returns `lineEndsIn` with a shortcut: most rows are on the page of the previous row. */
function createLineEndsFinder(): typeof lineEndsIn {
  let latest: { readonly page: Buffer; readonly lineEnds: LineEnds } | null = null;
  return (page) => {
    if (latest?.page !== page) latest = { page, lineEnds: lineEndsIn(page) };
    return latest.lineEnds;
  };
}

function findLineEnds(page: Buffer) {
  const kinds = UNICODE_LINE_ENDS.map((kind) => ({ ...kind, from: 0, at: indexIn(page, kind.bytes, 0) }));
  const unicode = kinds.filter(({ at }) => at < page.length);
  const hasRaw = page.includes(LINE_FEED) || page.includes(CARRIAGE_RETURN);
  return { hasRaw, unicode, growth: unicode.length === 0 ? 1 : MAX_GROWTH };
}

/** Returns the next index of some bytes; the length of the page if there is none. */
function indexIn(page: Buffer, bytes: Buffer, from: number): number {
  const at = page.indexOf(bytes, from);
  return at === -1 ? page.length : at;
}

/** Copies a row onto one line; returns the index after the copy. */
function copyOnOneLine(
  { bytes, start, end }: Row,
  { hasRaw, unicode }: LineEnds,
  lines: Buffer,
  place: number,
): number {
  let from = start;
  let to = place;
  let next = nextLineEnd(unicode, bytes, from);
  while (next !== null && next.at < end) {
    to += bytes.copy(lines, to, from, next.at);
    to += next.escapedBytes.copy(lines, to);
    from = next.at + next.bytes.length;
    next = nextLineEnd(unicode, bytes, from);
  }
  to += bytes.copy(lines, to, from, end);
  // in valid JSON raw line feeds and carriage returns occur only between tokens
  if (hasRaw)
    for (let at = place; at < to; at++)
      if (lines[at] === LINE_FEED || lines[at] === CARRIAGE_RETURN) lines[at] = SPACE;
  return to;
}

/** Returns the kind of line end that occurs first from an index on; null if there are no kinds. */
function nextLineEnd(kinds: LineEnds['unicode'], page: Buffer, from: number) {
  let first: (typeof kinds)[number] | null = null;
  for (const kind of kinds) {
    // the last search found none before `kind.at`
    if (from < kind.from || from > kind.at) {
      kind.from = from;
      kind.at = indexIn(page, kind.bytes, from);
    }
    if (first === null || kind.at < first.at) first = kind;
  }
  return first;
}

/** Returns the same JSON with Unicode line ends escaped. */
export function escapeLineEnds(json: string): string {
  return UNICODE_LINE_ENDS.reduce((text, { end, escaped }) => text.replaceAll(end, escaped), json);
}
