import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import type { AirbyteMessage } from '../../src/generated/protocol.generated.ts';
import type { Scenario } from '../sandbox/client.ts';
import { streamConnector } from '../support/run-connector.ts';
import type { CheckedLine } from '../support/run-connector.ts';
import { recordText } from '../support/run-views.ts';

/** Where the demo takes place. */
export interface DemoPlace {
  readonly world: Scenario;
  /** Where everything is put. */
  readonly folder: string;
  readonly configFile: string;
}

/** What came of a run. */
export interface Recording {
  /** Where its output is. */
  readonly file: string;
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
 * Runs the connector in constant memory; each line of its output is checked and goes to the file `{name}.jsonl` as it is.
 * `onRecord` sees each record as its stream and exact text; while it is pending, the connector waits.
 *
 * @throws Error if the exit code is not 0, with what the connector says, or if the run breaks a rule of `streamConnector`
 */
export async function recordRun(
  { world, folder }: DemoPlace,
  name: string,
  args: readonly string[],
  onRecord: (stream: string, text: string) => Promise<void>,
): Promise<Recording> {
  const started = performance.now();
  const path = join(folder, `${name}.jsonl`);
  const file = createWriteStream(path);
  const messages: AirbyteMessage[] = [];
  let peakMemory: number | undefined;
  let lines = 0;
  const onLine = async ({ message, bytes, process }: CheckedLine): Promise<void> => {
    file.write(bytes);
    if (!file.write('\n')) await once(file, 'drain');
    if (lines % memoryEvery === 0) peakMemory = (await peakMemoryOf(process.pid)) ?? peakMemory;
    lines += 1;
    if (message.type === 'RECORD') await onRecord(message.record.stream, recordText(bytes));
    else messages.push(message);
  };
  const exit = await streamConnector(args, { folder, secrets: [world.config.client_secret], onLine });
  file.end();
  await once(file, 'close');
  if (exit.code !== 0) throw new Error(`${name} ended with ${exit.code ?? exit.signal}; see ${path}`);
  return { file: path, ms: performance.now() - started, bytes: file.bytesWritten, messages, peakMemory };
}

async function peakMemoryOf(pid: number | undefined): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /VmHWM:\s*(\d+) kB/.exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}
