import { startConnector } from './start-connector.ts';

/**
 * The part of the output of a killed process that is saved. `byte`: exactly `killAt` bytes; `all`: also what was in the pipe;
 * `lineEnd`: the whole lines of `byte`, the last one without its newline.
 */
export type Cut = 'byte' | 'all' | 'lineEnd';

interface KilledRun {
  readonly args: readonly string[];
  readonly folder: string; // working folder and home of the process
  readonly killAt: number; // bytes of output after which it gets SIGKILL; infinite: never
  readonly cut: Cut;
  /** Called with the number of bytes read; reading pauses until it resolves. */
  readonly onBytes: (bytes: number) => Promise<void>;
}

/**
 * Runs the built connector, kills it after `killAt` bytes of output, and returns the saved part.
 *
 * @throws Error if it exits with another code than 0 or writes to stderr
 */
export async function killAtBytes({ args, folder, killAt, cut, onBytes }: KilledRun) {
  const { process, stdout, exit } = startConnector(args, { folder });
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    await onBytes(Math.min(bytes, killAt));
    if (bytes >= killAt) process.kill('SIGKILL');
  }
  const { code, signal, stderr } = await exit;
  const all = Buffer.concat(chunks);
  if (stderr !== '') throw new Error(`stderr is not empty: ${stderr}`);
  if (code === 0) return { output: all, isKilled: false };
  if (signal !== 'SIGKILL')
    throw new Error(`ended with ${code ?? signal}: ${all.subarray(-2000).toString()}`);
  const byte = all.subarray(0, killAt);
  const lineEnd = byte.subarray(0, Math.max(0, byte.lastIndexOf('\n')));
  return { output: { all, byte, lineEnd }[cut], isKilled: true };
}
