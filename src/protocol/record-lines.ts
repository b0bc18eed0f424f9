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
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/** Something in a page that would break a line. */
interface LineBreak {
  readonly start: number;
  readonly breaking: Buffer;
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
    const lengths = rows.reduce((sum, { start, end }) => sum + end - start, 0);
    const first = between.length + page.length;
    const length = first + lengths + (rows.length + 1) * between.length + growthOf(page);
    if (desk.length < length) desk = Buffer.allocUnsafe(length);
    desk.set(between);
    desk.set(page, between.length);

    let at = first;
    const append = (start: number, end: number): void => {
      desk.copyWithin(at, start + between.length, end + between.length);
      at += end - start;
    };
    const nextBreak = createBreaks(page);
    for (const { start, end } of rows) {
      append(-between.length, 0);
      let from = start;
      for (let found = nextBreak(from); found.start < end; found = nextBreak(from)) {
        append(from, found.start);
        desk.set(found.equal, at);
        at += found.equal.length;
        from = found.start + found.breaking.length;
        // a row may be made of little else
        for (; from < end && isLineEnd(page[from]); from++) desk[at++] = SPACE;
      }
      append(from, end);
    }
    desk.write(TAIL, at);
    return desk.subarray(first + TAIL.length, at + TAIL.length);
  };
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === LINE_FEED || byte === CARRIAGE_RETURN;
}

/** Bytes by which a page becomes longer, at most. */
function growthOf(page: Buffer): number {
  let growth = 0;
  for (const [breaking, equal] of REPLACEMENTS)
    if (equal.length > breaking.length)
      for (let at = page.indexOf(breaking); at !== -1; at = page.indexOf(breaking, at + breaking.length))
        growth += equal.length - breaking.length;
  return growth;
}

/**
 * Finds what would break a line next from a place on; at the end of the text there is nothing that would. A page may be made of
 * nothing else, so no list is made of it.
 */
function createBreaks(page: Buffer): (from: number) => LineBreak {
  const ahead = REPLACEMENTS.map(([breaking, equal]) => ({ breaking, equal, searchedFrom: 0, start: -1 }));
  const end = { start: page.length, breaking: page, equal: page };
  return (from) => {
    let next: LineBreak = end;
    for (const one of ahead) {
      // rows come in the order of the page, all but always
      if (one.start < from || one.searchedFrom > from) {
        const found = page.indexOf(one.breaking, from);
        one.start = found === -1 ? page.length : found;
        one.searchedFrom = from;
      }
      if (one.start < next.start) next = one;
    }
    return next;
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
