import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Scenario } from '../sandbox/client.ts';
import { compareRows } from '../support/compare-rows.ts';
import { recordResources } from '../support/resource-use.ts';
import { streamConnector, type CheckedLine } from '../support/run-connector.ts';
import { recordText } from '../support/run-views.ts';

/** The scenario, and the folder of all files, with a `config.json`. */
export interface Place {
  readonly world: Scenario;
  readonly folder: string;
}

/** The results of a read. */
export type Read = Awaited<ReturnType<typeof readOnce>>;

/**
 * Reads both streams into `{name}.jsonl` in constant memory, from a state if there is one. The connector waits while
 * `onRecord` is pending. Throws an error if the read fails or violates a rule of `streamConnector`.
 */
export async function readOnce(
  { world, folder }: Place,
  name: string,
  state: string | null,
  onRecord: (records: number) => Promise<void>,
) {
  const rows = { assets: [] as string[], alarms: [] as string[] };
  const path = join(folder, `${name}.jsonl`);
  const file = createWriteStream(path);
  const onLine = async ({ message, bytes }: CheckedLine): Promise<void> => {
    file.write(bytes);
    if (!file.write('\n')) await once(file, 'drain');
    if (message.type !== 'RECORD') return;
    rows[message.record.stream as keyof typeof rows].push(fingerprint(recordText(bytes)));
    await onRecord(rows.assets.length + rows.alarms.length);
  };
  await world.clearRequests();
  const mark = await world.mark();
  const started = performance.now();
  const args = ['read', '--config', resolve(folder, 'config.json')];
  const { env, peakMemory } = recordResources(resolve(folder), {});
  const options = { folder, env, secrets: [world.config.client_secret], onLine };
  const exit = await streamConnector(state === null ? args : [...args, '--state', resolve(state)], options);
  const ms = performance.now() - started;
  await once(file.end(), 'close');
  if (exit.code !== 0) throw new Error(`${name} exited with ${exit.code ?? exit.signal}; see ${path}`);
  const { endpoints, tokens } = await world.requests(0);
  const must = fingerprints(world.groundTruthRows('assets', { since: mark }));
  const may = fingerprints(world.groundTruthRows('assets', { lived: mark }));
  return {
    path,
    ms,
    ...rows,
    bytes: file.bytesWritten,
    peakMemory: peakMemory(),
    requests: endpoints.assets.count + endpoints.alarms.count,
    tokens: tokens.issued,
    /** Of assets; alarms are compared over several reads. */
    differences: await compareRows(rows.assets, must, may),
  };
}

/** Replaces rows by fingerprints, which take less memory. */
export async function* fingerprints(rows: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const row of rows) yield fingerprint(row);
}

const fingerprint = (text: string): string => hash('sha256', text, 'base64').slice(0, 16);
