/**
 * What of the output of a killed process reaches its reader.
 * `byte`: exactly the bytes asked for, since the reader goes away with it; `all`: also what still stood in the pipe;
 * `lineEnd`: the whole lines among the bytes asked for, the last one without its newline.
 */
export type Cut = 'byte' | 'all' | 'lineEnd';

const newline = 10;

/** The bytes of `output` that reach a reader who asked for the first `bytes` of them. */
export function cutOutput(output: Buffer, bytes: number, cut: Cut): Buffer {
  if (cut === 'all') return output;
  const asked = output.subarray(0, bytes);
  if (cut === 'byte') return asked;
  return asked.subarray(0, Math.max(0, asked.lastIndexOf(newline)));
}
