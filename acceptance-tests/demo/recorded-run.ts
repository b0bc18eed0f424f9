import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import type { AirbyteMessage } from '../../src/generated/protocol.generated.ts';
import { recordText } from '../support/run-views.ts';
import { streamConnector } from '../support/run-connector.ts';
import type { CheckedLine } from '../support/run-connector.ts';

/** A run of the connector whose output goes to a file. */
export interface RecordedRun {
  readonly args: readonly string[];
  /** Working folder of the process. */
  readonly folder: string;
  readonly secret: string;
  /** Where its output goes. */
  readonly file: string;
  /** Sees each record as its stream and exact text; while it is pending, the connector waits. */
  readonly onRecord: (stream: string, text: string) => void | Promise<void>;
}

/** What came of a run. */
export interface Recording {
  readonly ms: number;
  readonly bytes: number;
  /** The messages that are no records. */
  readonly messages: readonly AirbyteMessage[];
  /** The most memory that the connector's process had, in bytes; undefined where the system does not say. */
  readonly peakMemory: number | undefined;
}

/** Lines between two looks at the memory. */
const memoryEvery = 2000;

/**
 * Runs the connector in constant memory; each line of its output is checked and goes to the file as it is.
 *
 * @throws Error if the exit code is not 0, with what the connector says, or if the run breaks a rule of `streamConnector`
 */
export async function recordRun(run: RecordedRun): Promise<Recording> {
  const started = performance.now();
  const file = createWriteStream(run.file);
  const messages: AirbyteMessage[] = [];
  let peakMemory: number | undefined;
  let bytes = 0;
  let lines = 0;
  const onLine = async (line: CheckedLine): Promise<void> => {
    bytes += line.bytes.length + 1;
    file.write(line.bytes);
    if (!file.write('\n')) await once(file, 'drain');
    lines += 1;
    if (lines % memoryEvery === 1) peakMemory = (await peakMemoryOf(line.process.pid)) ?? peakMemory;
    if (line.message.type !== 'RECORD') messages.push(line.message);
    else await run.onRecord(line.message.record.stream, recordText(line.bytes));
  };
  const exit = await streamConnector(run.args, { folder: run.folder, secrets: [run.secret], onLine });
  file.end();
  await once(file, 'close');
  if (exit.code !== 0)
    throw new Error(`${run.args[0]} ended with ${exit.code ?? exit.signal}; see ${run.file}`);
  return { ms: performance.now() - started, bytes, messages, peakMemory };
}

async function peakMemoryOf(pid: number | undefined): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /VmHWM:\s*(\d+) kB/.exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}
