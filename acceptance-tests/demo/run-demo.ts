import { compareRows } from '../support/compare-rows.ts';
import { runConnector } from '../support/run-connector.ts';
import type { Run } from '../support/run-connector.ts';
import { discovered, verdict } from '../support/run-views.ts';
import { createDisturbance } from './disturbance.ts';
import { counted, duration, megabytes, number, step, table } from './page.ts';
import { fingerprints, readOnce } from './read-once.ts';
import type { FinishedRead } from './read-once.ts';
import type { DemoPlace } from './recorded-run.ts';

/** What the demo works with. */
export interface Demo extends DemoPlace {
  /** Rows at the start. */
  readonly assets: number;
  readonly alarms: number;
  readonly say: (text: string) => void;
  /** Shows a passing line, in place of the one before. */
  readonly glimpse: (text: string) => void;
  readonly shortPath: (file: string) => string;
}

const rowsBetweenGlimpses = 5000;

/** Runs the demo from the first line to the verdict; false if a row was lost, doubled or altered. Throws if a run fails. */
export async function runDemo(demo: Demo): Promise<boolean> {
  const { world, configFile, say, shortPath } = demo;
  // what changes: about one row in a hundred
  const amount = Math.ceil(Math.max(demo.assets, demo.alarms, 100) / 100);
  say(
    `\nThe sandbox is a server on this machine that speaks the whole API. It holds ${counted(demo.assets, 'asset')}\n` +
      `and ${counted(demo.alarms, 'alarm')}. Now the connector is run on it as a platform would run it.\n`,
  );
  say(step(1, 'spec: what does the connector want to know?', [specWords(await short(demo, ['spec']))]));
  const { status, lines } = verdict(await short(demo, ['check', '--config', configFile]));
  say(step(2, `check: can it read with ${shortPath(configFile)}?`, [status, ...lines]));
  const catalog = await short(demo, ['discover', '--config', configFile]);
  say(step(3, 'discover: what is there to read?', catalogWords(catalog)));

  const disturbance = createDisturbance(world, amount);
  const glimpse = (records: number): void => {
    if (records % rowsBetweenGlimpses === 0) demo.glimpse(`reading: ${number(records)} rows …`);
  };
  const first = await readOnce(demo, 'first-read', undefined, async (records) => {
    glimpse(records);
    await disturbance.record();
  });
  const { inserted, deleted, arrived } = disturbance.done;
  const firstFile = shortPath(first.recording.file);
  say(
    step(4, `read: everything, into ${firstFile}`, [
      readWords(first),
      `While it read, ${counted(inserted, 'asset')} came in at the head of the list, ${number(deleted)} were deleted`,
      `anywhere in it, and ${counted(arrived, 'alarm')} arrived.`,
    ]),
  );
  await world.arrive('alarms', { count: amount });
  await world.insert('assets', { count: amount });
  await world.delete('assets', { count: amount, at: 'random' });
  const changes = `${counted(amount, 'alarm')} arrive; ${counted(amount, 'asset')} come in, as many are deleted.`;
  say(step(5, 'Time passes: the fleet changes', [changes]));
  const second = await readOnce(demo, 'second-read', first.recording.file, async (records) =>
    glimpse(records),
  );
  say(
    step(6, `read again, with --state ${firstFile}, into ${shortPath(second.recording.file)}`, [
      readWords(second),
      'The saved output of the first read is the state: alarms go on where it ends, assets are read anew.',
    ]),
  );
  for (const line of figures(first, second)) say(`  ${line}`);
  demo.glimpse('comparing all rows with the sandbox …');
  return isExact(demo, first, second);
}

async function isExact(
  { world, say, shortPath }: Demo,
  first: FinishedRead,
  second: FinishedRead,
): Promise<boolean> {
  const emitted = [...first.alarms, ...second.alarms];
  const alarms = await compareRows(emitted, fingerprints(world.groundTruthRows('alarms', {})));
  const findings = [alarms, first.findings, second.findings];
  const sum = (key: 'lost' | 'doubled' | 'strange'): number =>
    findings.reduce((total, one) => total + one[key], 0);
  const isWell = sum('lost') + sum('doubled') + sum('strange') === 0;
  say(
    `\nCompared with what the sandbox really holds, row by row, as exact texts:\n` +
      `  rows lost ${number(sum('lost'))}, doubled ${number(sum('doubled'))}, altered ${number(sum('strange'))}. ` +
      `${isWell ? 'All is well.' : 'THIS MUST NOT BE.'}\n` +
      `  (each alarm once over both reads; each asset that was there throughout a read once in that read)\n\n` +
      `The JSON lines, to look at:\n` +
      `  head -n 4 ${shortPath(first.recording.file)}\n` +
      `  grep '"STATE"' ${shortPath(second.recording.file)}\n`,
  );
  return isWell;
}

function figures(first: FinishedRead, second: FinishedRead): string[] {
  const row = (name: string, value: (read: FinishedRead) => string): string[] => [
    name,
    value(first),
    value(second),
  ];
  return table([
    ['', 'first read', 'second read'],
    row('assets', ({ assets }) => counted(assets.length, 'row')),
    row('alarms', ({ alarms }) => counted(alarms.length, 'row')),
    row('requests', ({ requests }) => number(requests)),
    row('tokens asked for', ({ tokens }) => number(tokens)),
    row('time', ({ recording }) => duration(recording.ms)),
    row('rows a second', ({ assets, alarms, recording: { ms } }) =>
      number(Math.round(((assets.length + alarms.length) / ms) * 1000)),
    ),
    row('output', ({ recording }) => megabytes(recording.bytes)),
    row('memory at most', ({ recording: { peakMemory: peak } }) =>
      peak === undefined ? 'not known here' : megabytes(peak),
    ),
  ]);
}

async function short({ folder, world }: Demo, args: readonly string[]): Promise<Run> {
  const run = await runConnector(args, { folder, secrets: [world.config.client_secret] });
  if (run.code === 0) return run;
  throw new Error(`${args[0]} ended with ${run.code ?? run.signal}: ${run.stdout.toString()}`);
}

function readWords({ assets, alarms, recording }: FinishedRead): string {
  return `${counted(assets.length, 'asset')} and ${counted(alarms.length, 'alarm')} in ${duration(recording.ms)}.`;
}

function specWords({ messages }: Run): string {
  const form = messages.find((message) => message.type === 'SPEC');
  const { properties = {}, required = [] } = (form?.spec.connectionSpecification ?? {}) as {
    properties?: object;
    required?: string[];
  };
  return `${counted(Object.keys(properties).length, 'key')}; needed are ${required.join(', ')}, and a stream.`;
}

function catalogWords(run: Run): string[] {
  return discovered(run).map(({ name, json_schema: schema, supported_sync_modes: modes }) => {
    const fields = counted(Object.keys(schema.properties).length, 'field');
    return `${name}: ${fields}, sync modes ${modes.join(', ')}`;
  });
}
