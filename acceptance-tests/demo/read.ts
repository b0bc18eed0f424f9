import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Scenario } from '../sandbox/client.ts';
import { compareRows } from '../support/compare-rows.ts';
import { streamConnector } from '../support/run-connector.ts';
import { recordText } from '../support/run-views.ts';

/** Where the demo takes place. */
export interface Place {
  readonly world: Scenario;
  /** Where everything is put, `config.json` first. */
  readonly folder: string;
}

/** A read, counted and compared. */
export type Read = Awaited<ReturnType<typeof readOnce>>;

/**
 * Reads both streams into `{name}.jsonl`, in constant memory, from a state if there is one. While
 * `onRecord` is pending, the connector waits. Throws if the read ends with an error or breaks a rule of `streamConnector`.
 */
export async function readOnce(
  { world, folder }: Place,
  name: string,
  state: string | null,
  onRecord: (records: number) => Promise<void>,
) {
  const rows = { assets: [] as string[], alarms: [] as string[] };
  const [path, peakFile] = [join(folder, `${name}.jsonl`), resolve(folder, 'peak-memory')];
  const file = createWriteStream(path);
  const preload = new URL('../support/peak-memory.mjs', import.meta.url).href;
  await world.clearRequests();
  const mark = await world.mark();
  const started = performance.now();
  const config = ['--config', resolve(folder, 'config.json')];
  const args = [...config, ...(state === null ? [] : ['--state', resolve(state)])];
  const exit = await streamConnector(['read', ...args], {
    folder,
    env: { NODE_OPTIONS: `--import ${preload}`, PEAK_FILE: peakFile },
    secrets: [world.config.client_secret],
    onLine: async ({ message, bytes }) => {
      file.write(bytes);
      if (!file.write('\n')) await once(file, 'drain');
      if (message.type !== 'RECORD') return;
      rows[message.record.stream as keyof typeof rows].push(fingerprint(recordText(bytes)));
      await onRecord(rows.assets.length + rows.alarms.length);
    },
  });
  const ms = performance.now() - started;
  file.end();
  await once(file, 'close');
  if (exit.code !== 0) throw new Error(`${name} ended with ${exit.code ?? exit.signal}; see ${path}`);
  const { endpoints, tokens } = await world.requests(0);
  const throughout = fingerprints(world.groundTruthRows('assets', { since: mark }));
  const lived = fingerprints(world.groundTruthRows('assets', { lived: mark }));
  return {
    path,
    ms,
    ...rows,
    bytes: file.bytesWritten,
    peakMemory: Number(await readFile(peakFile, 'utf8')) * 1024,
    requests: endpoints.assets.count + endpoints.alarms.count,
    tokens: tokens.issued,
    /** Of the assets: alarms are compared over several reads. */
    findings: await compareRows(rows.assets, throughout, lived),
  };
}

/** Rows of the truth, as fingerprints, which take less memory than their texts. */
export async function* fingerprints(rows: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const row of rows) yield fingerprint(row);
}

const fingerprint = (text: string): string => hash('sha256', text, 'base64').slice(0, 16);
