import { startConnector } from '../../support/start-connector.ts';
import { cutOutput } from './cut-output.ts';
import type { Cut } from './cut-output.ts';

/** How a process is run, and where it is killed. */
export interface KilledRun {
  readonly args: readonly string[];
  /** Working folder and home of the process. */
  readonly folder: string;
  /** Bytes of output at which it gets SIGKILL; infinite: never. */
  readonly killAt: number;
  readonly cut: Cut;
  /** Told the number of bytes seen so far; while it is pending nothing more is read. */
  readonly onBytes: (bytes: number) => Promise<void>;
}

/** What came of it. */
export interface KilledOutput {
  /** What reached the reader. */
  readonly output: Buffer;
  readonly killed: boolean;
}

/**
 * Runs the built connector and kills it as soon as so many bytes of its output have been seen.
 *
 * @throws Error if it ends by itself with another exit code than 0, or writes to stderr
 */
export async function killAtBytes({ args, folder, killAt, cut, onBytes }: KilledRun): Promise<KilledOutput> {
  const started = startConnector(args, { folder });
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of started.stdout as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    await onBytes(Math.min(bytes, killAt));
    if (bytes >= killAt) started.process.kill('SIGKILL');
  }
  const { code, signal, stderr } = await started.exit;
  const output = Buffer.concat(chunks);
  if (stderr !== '') throw new Error(`stderr is not empty: ${stderr}`);
  if (signal === 'SIGKILL') return { output: cutOutput(output, killAt, cut), killed: true };
  if (code === 0) return { output, killed: false };
  throw new Error(`the read ended with ${code ?? signal}:\n${output.subarray(-2000).toString()}`);
}
