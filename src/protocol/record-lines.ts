import { rowBytes } from './row.ts';
import type { Row } from './row.ts';

const TAIL = Buffer.from('}}\n');
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

/**
 * RECORD lines (protocol: AirbyteRecordMessage) whose `data` is the text of each row exactly as the API sent it; only
 * what would break a line-based reader is replaced, by an equal. Nothing is parsed or written anew.
 */
export function recordLines(stream: string, rows: readonly Row[], emittedAtMs: number): Buffer {
  const head = Buffer.from(
    `{"type":"RECORD","record":{"stream":${JSON.stringify(stream)},"emitted_at":${emittedAtMs},"data":`,
  );
  const parts: Buffer[] = [];
  let previous: Buffer | null = null;
  let breaking = false;
  for (const row of rows) {
    if (row.bytes !== previous) {
      previous = row.bytes;
      breaking = REPLACEMENTS.some(([bytes]) => row.bytes.includes(bytes));
    }
    const text = rowBytes(row);
    parts.push(head, breaking ? onOneLine(text) : text, TAIL);
  }
  return Buffer.concat(parts);
}

function onOneLine(text: Buffer): Buffer {
  return REPLACEMENTS.reduce((bytes, [breaking, equal]) => replaceAll(bytes, breaking, equal), text);
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
