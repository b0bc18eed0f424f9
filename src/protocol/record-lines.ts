import { rowBytes } from './row.ts';
import type { Row } from './row.ts';

/** Bytes that would break a line for some reader of lines: raw ones of the first two stand between tokens only. */
const BETWEEN_TOKENS = ['\n', '\r'].map((text) => Buffer.from(text));
const IN_STRINGS = ['\u0085', '\u2028', '\u2029'].map((text) => Buffer.from(text));
const BREAKING = [...BETWEEN_TOKENS, ...IN_STRINGS];

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
      mayBreak = hasAny(row.bytes, BREAKING);
    }
    return [head, ...(mayBreak ? onOneLine(rowBytes(row)) : [rowBytes(row)]), tail];
  });
  return Buffer.concat(parts);
}

function hasAny(json: Buffer, texts: readonly Buffer[]): boolean {
  return texts.some((text) => json.includes(text));
}

function onOneLine(json: Buffer): Buffer[] {
  return hasAny(json, IN_STRINGS) ? escapedPieces(json) : [withBlanks(json)];
}

function withBlanks(json: Buffer): Buffer {
  if (!hasAny(json, BETWEEN_TOKENS)) return json;
  const line = Buffer.from(json);
  for (let at = 0; at < line.length; at++) if (line[at] === 0x0a || line[at] === 0x0d) line[at] = 0x20;
  return line;
}

/** Bytes that are escaped at once: the text of a row of many megabytes would take gigabytes. */
const PIECE = 64 * 1024;

function escapedPieces(json: Buffer): Buffer[] {
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
