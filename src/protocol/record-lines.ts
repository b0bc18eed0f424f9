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
/** Bytes by which an equal is longer than what it replaces, at most. */
const GROWTH = 4;

/** Something in a page that would break a line. */
interface LineBreak {
  readonly start: number;
  readonly end: number;
  readonly equal: Buffer;
}

/**
 * RECORD lines (protocol: AirbyteRecordMessage) whose `data` is the text of each row exactly as the API sent it; only
 * what would break a line-based reader is replaced, by an equal. Nothing is parsed or written anew. The lines are good
 * until the next ones are asked for, which take their place.
 */
export type RecordLines = (rows: readonly Row[], emittedAtMs: number) => Buffer;

export function createRecordLines(stream: string): RecordLines {
  const ofPage = createPageLines();
  return (rows, emittedAtMs) => {
    const head = `{"type":"RECORD","record":{"stream":${JSON.stringify(stream)},"emitted_at":${emittedAtMs},"data":`;
    const between = Buffer.from(`${TAIL}${head}`);
    const pages = runsOfOnePage(rows);
    if (pages.length === 1) return ofPage(rows, between);
    return Buffer.concat(pages.map((run) => Buffer.from(ofPage(run, between))));
  };
}

/**
 * Lines of rows of one page. The page is copied to where the lines come to stand, in memory that is used again and
 * again: moving bytes within one buffer costs a tenth of copying them out of views on another into a new one.
 */
function createPageLines(): (rows: readonly Row[], between: Buffer) => Buffer {
  let desk = Buffer.alloc(0);
  return (rows, between) => {
    const page = rows[0]?.bytes ?? Buffer.alloc(0);
    const breaks = breaksIn(page);
    const lengths = rows.reduce((sum, { start, end }) => sum + end - start, 0);
    const first = between.length + page.length;
    const length = first + lengths + (rows.length + 1) * between.length + breaks.length * GROWTH;
    if (desk.length < length) desk = Buffer.allocUnsafe(length);
    desk.set(between);
    desk.set(page, between.length);

    let at = first;
    const append = (start: number, end: number): void => {
      desk.copyWithin(at, start + between.length, end + between.length);
      at += end - start;
    };
    let next = 0;
    for (const { start, end } of rows) {
      append(-between.length, 0);
      // rows come in the order of the page, all but always
      if ((breaks[next - 1]?.start ?? -1) >= start) next = 0;
      let from = start;
      for (let found = breaks[next]; found !== undefined && found.start < end; found = breaks[++next]) {
        if (found.start < start) continue;
        append(from, found.start);
        desk.set(found.equal, at);
        at += found.equal.length;
        from = found.end;
      }
      append(from, end);
    }
    desk.write(TAIL, at);
    return desk.subarray(first + TAIL.length, at + TAIL.length);
  };
}

/** The rows, divided where one of another page follows. */
function runsOfOnePage(rows: readonly Row[]): readonly (readonly Row[])[] {
  const runs: Row[][] = [];
  let page: Buffer | null = null;
  for (const row of rows) {
    if (row.bytes !== page) runs.push([]);
    page = row.bytes;
    runs.at(-1)?.push(row);
  }
  return runs;
}

/** What would break a line in a page, in order. */
function breaksIn(page: Buffer): readonly LineBreak[] {
  const found: LineBreak[] = [];
  for (const [breaking, equal] of REPLACEMENTS)
    for (let start = page.indexOf(breaking); start !== -1; start = page.indexOf(breaking, start + 1))
      found.push({ start, end: start + breaking.length, equal });
  return found.toSorted((one, other) => one.start - other.start);
}
