import { pipeline, type Readable } from 'node:stream';
import split2 from 'split2';

/** A line without its newline; false for a last one that has none. */
export interface Line {
  readonly bytes: Buffer;
  readonly isWhole: boolean;
}

/** Follows the output, to tell a last line without a newline from a whole one. JSON lines do not contain it. */
const END = '\u0004';

/** The lines of a process's output, as they arrive, byte by byte. Reading pauses while the caller handles a line. */
export async function* linesOf(output: Readable): AsyncGenerator<Line> {
  // each byte becomes a character, so that bytes that are not valid UTF-8 are kept
  const characters = async function* (): AsyncGenerator<string> {
    for await (const chunk of output as AsyncIterable<Buffer>) yield chunk.toString('latin1');
    yield END;
  };
  // a failure ends the iteration too
  const lines: AsyncIterable<string> = pipeline(
    characters,
    split2('\n', { decodeStrings: false }),
    () => undefined,
  );
  for await (const line of lines) {
    const isWhole = !line.endsWith(END);
    const text = isWhole ? line : line.slice(0, -END.length);
    if (line !== END) yield { bytes: Buffer.from(text, 'latin1'), isWhole };
  }
}
