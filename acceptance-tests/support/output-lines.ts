import type { Readable } from 'node:stream';

/** One line without its newline; `whole` is false for what stands behind the last newline. */
export interface OutputLine {
  readonly bytes: Buffer;
  readonly whole: boolean;
}

/** The lines of a stream of bytes, in memory for one line; while one is looked at, nothing more is read. */
export async function* outputLines(stdout: Readable): AsyncGenerator<OutputLine> {
  let rest: Buffer[] = [];
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const part = chunk.subarray(start, end);
      yield { bytes: rest.length === 0 ? part : Buffer.concat([...rest, part]), whole: true };
      rest = [];
      start = end + 1;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  }
  if (rest.length > 0) yield { bytes: Buffer.concat(rest), whole: false };
}
