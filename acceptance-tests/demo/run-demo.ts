import { join } from 'node:path';
import type { Scenario } from '../sandbox/client.ts';
import { counted, duration, megabytes, number, step, table } from './page.ts';
import { createDisturbance, lively } from './disturbance.ts';
import { readOnce } from './read-once.ts';
import type { FinishedRead } from './read-once.ts';
import { recordRun } from './recorded-run.ts';
import type { Recording } from './recorded-run.ts';
import { createRowLedger } from './row-ledger.ts';
import type { Findings } from './row-ledger.ts';

/** What the demo works with. */
export interface Demo {
  readonly world: Scenario;
  /** Where everything is put. */
  readonly folder: string;
  readonly configFile: string;
  /** Rows at the start. */
  readonly assets: number;
  readonly alarms: number;
  readonly say: (text: string) => void;
  /** Shows a passing line, in place of the one before. */
  readonly glimpse: (text: string) => void;
  readonly shortPath: (file: string) => string;
}

/** Runs the demo from the first line to the verdict; false if a row was lost, doubled or altered. Throws if a run fails. */
export async function runDemo(demo: Demo): Promise<boolean> {
  const { world, say, shortPath } = demo;
  const amount = lively(demo);
  say(
    `\nThe sandbox is a server on this machine that speaks the whole API. It holds ${counted(demo.assets, 'asset')}\n` +
      `and ${counted(demo.alarms, 'alarm')}. Now the connector is run on it as a platform would run it.\n`,
  );
  const spec = await short(demo, ['spec']);
  say(step(1, 'spec: what does the connector want to know?', [specWords(spec.messages)]));
  const check = await short(demo, ['check', '--config', demo.configFile]);
  say(step(2, `check: can it read with ${shortPath(demo.configFile)}?`, checkWords(check.messages)));
  const discover = await short(demo, ['discover', '--config', demo.configFile]);
  say(step(3, 'discover: what is there to read?', catalogWords(discover.messages)));

  const alarms = createRowLedger();
  const disturbance = createDisturbance(world, amount);
  const first = await readOnce(demo, 'first-read', undefined, alarms, disturbance.record);
  const during = disturbance.done();
  say(
    step(4, `read: everything, into ${shortPath(first.file)}`, [
      readWords(first),
      `While it read, ${counted(during.inserted, 'asset')} came in at the head of the list, ${number(during.deleted)} were deleted`,
      `anywhere in it, and ${counted(during.arrived, 'alarm')} arrived.`,
    ]),
  );
  await world.arrive('alarms', { count: amount });
  await world.insert('assets', { count: amount });
  await world.delete('assets', { count: Math.min(amount, demo.assets), at: 'random' });
  say(
    step(5, 'Time passes: the fleet changes', [
      `${counted(amount, 'alarm')} arrive; ${counted(amount, 'asset')} come in, as many are deleted.`,
    ]),
  );
  const second = await readOnce(demo, 'second-read', first.file, alarms, async () => undefined);
  say(
    step(6, `read again, with --state ${shortPath(first.file)}, into ${shortPath(second.file)}`, [
      readWords(second),
      'The saved output of the first read is the state: alarms go on where it ends, assets are read anew.',
    ]),
  );
  for (const line of figures(first, second)) say(`  ${line}`);

  demo.glimpse('comparing all rows with the sandbox …');
  const both = await alarms.compare(world.groundTruthRows('alarms', {}), undefined);
  return verdict(demo, both, first, second);
}

function verdict(demo: Demo, alarms: Findings, first: FinishedRead, second: FinishedRead): boolean {
  const { say, shortPath } = demo;
  const findings = [alarms, first.findings, second.findings];
  const sum = (key: keyof Findings): number => findings.reduce((total, one) => total + one[key], 0);
  const well = sum('lost') + sum('doubled') + sum('altered') === 0;
  say(
    `\nCompared with what the sandbox really holds, row by row, as exact texts:\n` +
      `  rows lost ${number(sum('lost'))}, doubled ${number(sum('doubled'))}, altered ${number(sum('altered'))}. ` +
      `${well ? 'All is well.' : 'THIS MUST NOT BE.'}\n` +
      `  (each alarm once over both reads; each asset that was there throughout a read once in that read)\n\n` +
      `The JSON lines, to look at:\n` +
      `  head -n 4 ${shortPath(first.file)}\n` +
      `  grep '"STATE"' ${shortPath(second.file)}\n`,
  );
  return well;
}

function figures(first: FinishedRead, second: FinishedRead): string[] {
  const row = (name: string, value: (read: FinishedRead) => string): string[] => [
    name,
    value(first),
    value(second),
  ];
  return table([
    ['', 'first read', 'second read'],
    row('assets', ({ assets }) => counted(assets, 'row')),
    row('alarms', ({ alarms }) => counted(alarms, 'row')),
    row('requests', ({ requests }) => number(requests)),
    row('tokens asked for', ({ tokens }) => number(tokens)),
    row('time', ({ recording }) => duration(recording.ms)),
    row('rows a second', (read) => number(Math.round((read.rows / read.recording.ms) * 1000))),
    row('output', ({ recording }) => megabytes(recording.bytes)),
    row('memory at most', ({ recording: { peakMemory: peak } }) =>
      peak === undefined ? 'not known here' : megabytes(peak),
    ),
  ]);
}

function short(demo: Demo, args: readonly string[]): Promise<Recording> {
  const { folder, world } = demo;
  const file = join(folder, `${args[0]}.jsonl`);
  return recordRun({ args, folder, secret: world.config.client_secret, file, onRecord: () => undefined });
}

function readWords({ assets, alarms, recording }: FinishedRead): string {
  return `${counted(assets, 'asset')} and ${counted(alarms, 'alarm')} in ${duration(recording.ms)}.`;
}

function specWords(messages: Recording['messages']): string {
  const form = messages.flatMap((message) => (message.type === 'SPEC' ? [message.spec] : []))[0];
  const { properties = {}, required = [] } = (form?.connectionSpecification ?? {}) as {
    properties?: object;
    required?: string[];
  };
  return `${counted(Object.keys(properties).length, 'key')}; needed are ${required.join(', ')}, and a stream.`;
}

function checkWords(messages: Recording['messages']): string[] {
  return messages.flatMap((message) =>
    message.type === 'CONNECTION_STATUS'
      ? [message.connectionStatus.status, ...(message.connectionStatus.message ?? '').split('\n')]
      : [],
  );
}

function catalogWords(messages: Recording['messages']): string[] {
  const streams = messages.flatMap((message) => (message.type === 'CATALOG' ? message.catalog.streams : []));
  return streams.map(({ name, json_schema: schema, supported_sync_modes: modes }) => {
    const fields = counted(Object.keys(schema.properties).length, 'field');
    return `${name}: ${fields}, sync modes ${modes.join(', ')}`;
  });
}
