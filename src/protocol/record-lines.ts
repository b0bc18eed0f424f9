import type { Row } from './row.ts';

const TAIL = '}}\n';
/** What would break a line for some reader of lines, and the equal that takes its place. */
const REPLACEMENTS: readonly (readonly [breaking: Buffer, equal: Buffer])[] = [
  // raw control characters inside strings are not JSON, so these stand between tokens
  [Buffer.from('\n'), Buffer.from(' ')],
  [Buffer.from('\r'), Buffer.from(' ')],
  // and these stand inside strings
  [Buffer.from('\u2028'), Buffer.from('\\u2028')],
  [Buffer.from('\u2029'), Buffer.from('\\u2029')],
  [Buffer.from('\u0085'), Buffer.from('\\u0085')],
];

/** A part of a page's bytes. */
type Text = Pick<Row, 'bytes' | 'start' | 'end'>;

/**
 * RECORD lines (protocol: AirbyteRecordMessage) whose `data` is the text of each row exactly as the API sent it; only
 * what would break a line-based reader is replaced, by an equal. Nothing is parsed or written anew.
 */
export function recordLines(stream: string, rows: readonly Row[], emittedAtMs: number): Buffer {
  if (rows.length === 0) return Buffer.alloc(0);
  const head = `{"type":"RECORD","record":{"stream":${JSON.stringify(stream)},"emitted_at":${emittedAtMs},"data":`;
  const between = Buffer.from(`${TAIL}${head}`);
  const texts = onOneLine(rows);
  const length = texts.reduce((sum, { start, end }) => sum + end - start, between.length * rows.length);
  const lines = Buffer.allocUnsafe(length);
  let at = lines.write(head);
  for (const { bytes, start, end } of texts) {
    at += bytes.copy(lines, at, start, end);
    // behind the last row only the tail of it has room
    at += between.copy(lines, at);
  }
  return lines;
}

/** The texts of the rows without what would break a line. */
function onOneLine(rows: readonly Row[]): readonly Text[] {
  let page: Buffer | null = null;
  let breaks: readonly number[] = [];
  let next = 0;
  return rows.map((row): Text => {
    const { bytes, start, end } = row;
    if (bytes !== page) {
      page = bytes;
      breaks = breaksIn(bytes);
      next = 0;
    }
    // rows of a page come in its order, all but always
    if ((breaks[next - 1] ?? -1) >= start) next = 0;
    while ((breaks[next] ?? end) < start) next++;
    if ((breaks[next] ?? end) >= end) return row;
    const text = REPLACEMENTS.reduce(
      (before, [breaking, equal]) => replaceAll(before, breaking, equal),
      bytes.subarray(start, end),
    );
    return { bytes: text, start: 0, end: text.length };
  });
}

/** Where something in a page would break a line, in order. */
function breaksIn(bytes: Buffer): readonly number[] {
  const places: number[] = [];
  for (const [breaking] of REPLACEMENTS)
    for (let at = bytes.indexOf(breaking); at !== -1; at = bytes.indexOf(breaking, at + 1)) places.push(at);
  return places.toSorted((a, b) => a - b);
}

function replaceAll(text: Buffer, breaking: Buffer, equal: Buffer): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = text.indexOf(breaking); at !== -1; at = text.indexOf(breaking, from)) {
    parts.push(text.subarray(from, at), equal);
    from = at + breaking.length;
  }
  if (from === 0) return text;
  parts.push(text.subarray(from));
  return Buffer.concat(parts);
}
