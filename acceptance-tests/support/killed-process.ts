import { startConnector } from './start-connector.ts';

/**
 * What of the output of a killed process reaches its reader.
 * `byte`: exactly the bytes asked for, since the reader goes away with it; `all`: also what still stood in the pipe;
 * `lineEnd`: the whole lines among the bytes asked for, the last one without its newline.
 */
export type Cut = 'byte' | 'all' | 'lineEnd';

/** How a process is run, and where it is killed. */
interface KilledRun {
  readonly args: readonly string[];
  /** Working folder and home of the process. */
  readonly folder: string;
  /** Bytes of output at which it gets SIGKILL; infinite: never. */
  readonly killAt: number;
  readonly cut: Cut;
  /** Told the number of bytes seen so far; while it is pending nothing more is read. */
  readonly onBytes: (bytes: number) => Promise<void>;
}

/**
 * Runs the built connector, kills it as soon as so many bytes of its output have been seen, and gives what reached its reader.
 *
 * @throws Error if it ends by itself with another exit code than 0, or writes to stderr
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
