import type { Row } from '../rows/row.ts';

const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const BLANK = 0x20;

/** Line ends of Unicode, which may stand raw inside of strings, and the escapes that are their equals. */
const UNICODE_LINE_ENDS = ['\u0085', '\u2028', '\u2029'].map((end) => {
  const escaped = `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return { end, escaped, bytes: Buffer.from(end), escapedBytes: Buffer.from(escaped) };
});
/** An escape takes at most so many times the bytes of what it stands for. */
const MOST_GROWTH = 3;

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
  const name = escapeLineEnds(JSON.stringify(stream));
  const head = Buffer.from(`{"type":"RECORD","record":{"stream":${name},"emitted_at":${emittedAtMs},"data":`);
  const tail = Buffer.from('}}\n');
  const pages = new Map<Buffer, LineEnds>();
  const lineEndsIn = (page: Buffer): LineEnds => {
    const lineEnds = pages.get(page) ?? lineEndsOf(page);
    pages.set(page, lineEnds);
    return lineEnds;
  };
  const roomOf = ({ bytes, start, end }: Row): number => (end - start) * lineEndsIn(bytes).growth;
  const lines = roomFor(rows.reduce((sum, row) => sum + head.length + roomOf(row) + tail.length, 0));
  let at = 0;
  for (const row of rows) {
    lines.set(head, at);
    at = copyOnOneLine(row, lineEndsIn(row.bytes), lines, at + head.length);
    lines.set(tail, at);
    at += tail.length;
  }
  return lines.subarray(0, at);
}

/** What a page has of line ends, and where each kind of those of Unicode stands next. */
type LineEnds = ReturnType<typeof lineEndsOf>;

function lineEndsOf(page: Buffer) {
  const kinds = UNICODE_LINE_ENDS.map((kind) => ({ ...kind, from: 0, at: placeOf(kind.bytes, page, 0) }));
  const unicode = kinds.filter(({ at }) => at < page.length);
  const hasRaw = page.includes(LINE_FEED) || page.includes(RETURN);
  return { hasRaw, unicode, growth: unicode.length === 0 ? 1 : MOST_GROWTH };
}

/** Where bytes stand in a page from a place on; its length if they do not. */
function placeOf(bytes: Buffer, page: Buffer, from: number): number {
  const at = page.indexOf(bytes, from);
  return at === -1 ? page.length : at;
}

/** Copies the text of a row with an equal for each line end; gives the place behind it. */
function copyOnOneLine({ bytes, start, end }: Row, lineEnds: LineEnds, lines: Buffer, place: number): number {
  const { hasRaw, unicode } = lineEnds;
  let [from, to] = [start, place];
  let next = nextOf(unicode, bytes, from);
  while (next !== null && next.at < end) {
    to += bytes.copy(lines, to, from, next.at);
    to += next.escapedBytes.copy(lines, to);
    from = next.at + next.bytes.length;
    next = nextOf(unicode, bytes, from);
  }
  to += bytes.copy(lines, to, from, end);
  if (hasRaw) blankLineEnds(lines, place, to);
  return to;
}

/** The kind of which one stands first from a place on; null if all are behind it. */
function nextOf(kinds: LineEnds['unicode'], page: Buffer, from: number) {
  let first: (typeof kinds)[number] | null = null;
  for (const kind of kinds) {
    // none stands between where it was looked for last and where it was found
    if (from < kind.from || from > kind.at) [kind.from, kind.at] = [from, placeOf(kind.bytes, page, from)];
    if (first === null || kind.at < first.at) first = kind;
  }
  return first;
}

/** In JSON raw line feeds and carriage returns stand between tokens only. */
function blankLineEnds(lines: Buffer, start: number, end: number): void {
  for (let at = start; at < end; at++) if (lines[at] === LINE_FEED || lines[at] === RETURN) lines[at] = BLANK;
}

/** A JSON text without the line ends that may stand raw inside its strings. */
export function escapeLineEnds(json: string): string {
  return UNICODE_LINE_ENDS.reduce((text, { end, escaped }) => text.replaceAll(end, escaped), json);
}
