import { rowBytes } from './row.ts';
import type { Row } from './row.ts';

/** Bytes that would break a line for some reader of lines: the last three may stand inside strings. */
const BREAKING = ['\n', '\r', '\u0085', '\u2028', '\u2029'].map((text) => Buffer.from(text));

/**
 * RECORD lines (protocol: AirbyteRecordMessage) whose `data` is the text of each row exactly as the API sent it; only
 * what would break a line-based reader is replaced, by an equal. Nothing is parsed or written anew.
 */
export function recordLines(stream: string, rows: readonly Row[], emittedAtMs: number): Buffer {
  const head = Buffer.from(
    `{"type":"RECORD","record":{"stream":${JSON.stringify(stream)},"emitted_at":${emittedAtMs},"data":`,
  );
  const tail = Buffer.from('}}\n');
  let page: Buffer | null = null;
  let mayBreak = false;
  const parts = rows.flatMap((row) => {
    if (row.bytes !== page) {
      page = row.bytes;
      mayBreak = BREAKING.some((breaking) => row.bytes.includes(breaking));
    }
    return [head, ...(mayBreak ? onOneLine(rowBytes(row)) : [rowBytes(row)]), tail];
  });
  return Buffer.concat(parts);
}

/** Bytes that are put on one line at once: a row of many megabytes in one piece would take gigabytes. */
const PIECE = 64 * 1024;

/** Raw `\n` and `\r` stand between tokens only: inside of strings they are not JSON. */
function onOneLine(json: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0, end = 0; start < json.length; start = end) {
    end = Math.min(start + PIECE, json.length);
    // a piece ends where a character does
    while (end < json.length && ((json[end] ?? 0) & 0xc0) === 0x80) end -= 1;
    const text = json.toString('utf8', start, end).replaceAll(/[\n\r]/g, ' ');
    pieces.push(Buffer.from(escapeLineEnds(text)));
  }
  return pieces;
}

/** A JSON text without the line ends that may stand raw inside its strings. */
export function escapeLineEnds(json: string): string {
  return json.replaceAll(
    /[\u0085\u2028\u2029]/g,
    (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
