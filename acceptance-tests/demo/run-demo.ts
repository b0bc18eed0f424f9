import { join, resolve } from 'node:path';
import { compareRows } from '../support/compare-rows.ts';
import { runConnector } from '../support/run-connector.ts';
import type { Run } from '../support/run-connector.ts';
import { discovered, verdict } from '../support/run-views.ts';
import { counted, number, table } from './page.ts';
import { fingerprints, readOnce } from './read.ts';
import type { Place, Read } from './read.ts';

/** What the demo works with. */
interface Demo extends Place {
  /** Rows at the start. */
  readonly assets: number;
  readonly alarms: number;
  readonly say: (...lines: string[]) => void;
  /** Shows a passing line, in place of the one before. */
  readonly glimpse: (text: string) => void;
}

/** Changes at most in a read, and the records between two of them at first; the distance doubles. */
const mostChanges = 10;
const firstDistance = 20;

/** Runs the demo from the first line to the verdict; false if a row was lost, duplicated or altered. Throws if a run fails. */
export async function runDemo(demo: Demo): Promise<boolean> {
  const { world, folder, assets, alarms, say } = demo;
  // what changes: about one row in a hundred
  const amount = Math.ceil(Math.max(assets, alarms, 100) / 100);
  const count = Math.ceil(amount / mostChanges);
  let steps = 0;
  const step = (title: string, ...lines: string[]): void => {
    steps += 1;
    say(`${steps}. ${title}`, ...lines.map((line) => `     ${line}`), '');
  };
  say(
    `\nThe sandbox is a server on this machine that speaks the whole API. It holds ${counted(assets, 'asset')}`,
    `and ${counted(alarms, 'alarm')}. Now the connector is run on it as a platform would run it.\n`,
  );
  await showForm(demo, step);

  const done = { inserted: 0, deleted: 0, arrived: 0 };
  let changes = 0;
  const glimpse = (records: number): void => {
    if (records % 5000 === 0) demo.glimpse(`reading: ${number(records)} rows …`);
  };
  const first = await readOnce(demo, 'first-read', null, async (records) => {
    glimpse(records);
    if (records < firstDistance * 2 ** changes || changes === mostChanges) return;
    changes += 1;
    done.inserted += (await world.insert('assets', { count })).length;
    done.deleted += (await world.delete('assets', { count, at: 'random' })).length;
    done.arrived += (await world.arrive('alarms', { count })).length;
  });
  step(
    `read: everything, into ${first.path}`,
    readWords(first),
    `While it read, ${counted(done.inserted, 'asset')} came in at the head of the list, ${number(done.deleted)} were deleted`,
    `anywhere in it, and ${counted(done.arrived, 'alarm')} arrived.`,
  );
  await world.arrive('alarms', { count: amount });
  await world.insert('assets', { count: amount });
  await world.delete('assets', { count: amount, at: 'random' });
  const changed = `${counted(amount, 'alarm')} arrive; ${counted(amount, 'asset')} come in, as many are deleted.`;
  step('Time passes: the fleet changes', changed);
  const second = await readOnce(demo, 'second-read', first.path, async (records) => glimpse(records));
  step(
    `read again, with --state ${first.path}, into ${join(folder, 'second-read.jsonl')}`,
    readWords(second),
    'The saved output of the first read is the state: alarms go on where it ends, assets are read anew.',
  );
  say(...figures(first, second).map((line) => `  ${line}`));
  demo.glimpse('comparing all rows with the sandbox …');
  return isExact(demo, first, second);
}

/** What comes before a read. */
async function showForm(
  { folder, world }: Demo,
  step: (title: string, ...lines: string[]) => void,
): Promise<void> {
  const file = join(folder, 'config.json');
  const run = async (...args: string[]): Promise<Run> => {
    const ended = await runConnector(args, { folder, secrets: [world.config.client_secret] });
    if (ended.code === 0) return ended;
    throw new Error(`${args[0]} ended with ${ended.code ?? ended.signal}: ${ended.stdout.toString()}`);
  };
  const [form] = (await run('spec')).messages.flatMap((message) =>
    message.type === 'SPEC' ? [message.spec.connectionSpecification] : [],
  );
  const { properties = {}, required = [] } = form as { properties?: object; required?: string[] };
  const keys = counted(Object.keys(properties).length, 'key');
  step(
    'spec: what does the connector want to know?',
    `${keys}; needed are ${required.join(', ')}, and a stream.`,
  );
  const { status, lines } = verdict(await run('check', '--config', resolve(file)));
  step(`check: can it read with ${file}?`, status, ...lines);
  const streams = discovered(await run('discover', '--config', resolve(file)));
  const words = streams.map(({ name, json_schema: schema, supported_sync_modes: modes }) => {
    const fields = counted(Object.keys(schema.properties).length, 'field');
    return `${name}: ${fields}, sync modes ${modes.join(', ')}`;
  });
  step('discover: what is there to read?', ...words);
}

async function isExact({ world, say }: Demo, first: Read, second: Read): Promise<boolean> {
  const emitted = [...first.alarms, ...second.alarms];
  const alarms = await compareRows(emitted, fingerprints(world.groundTruthRows('alarms', {})));
  const findings = [alarms, first.findings, second.findings];
  const [lost = 0, doubled = 0, altered = 0] = (['lost', 'repeated', 'unknown'] as const).map((key) =>
    findings.reduce((total, one) => total + one[key].length, 0),
  );
  const isWell = lost + doubled + altered === 0;
  say(
    '\nCompared with what the sandbox really holds, row by row, as exact texts:',
    `  rows lost ${number(lost)}, duplicated ${number(doubled)}, altered ${number(altered)}. ` +
      (isWell ? 'All is well.' : 'THIS MUST NOT BE.'),
    '  (each alarm once over both reads; each asset that was there throughout a read once in that read)\n',
    'The JSON lines, to look at:',
    `  head -n 4 ${first.path}`,
    `  grep '"STATE"' ${second.path}\n`,
  );
  return isWell;
}

function figures(...reads: Read[]): string[] {
  const shown: Record<string, (read: Read) => string> = {
    assets: ({ assets }) => counted(assets.length, 'row'),
    alarms: ({ alarms }) => counted(alarms.length, 'row'),
    requests: ({ requests }) => number(requests),
    'tokens asked for': ({ tokens }) => number(tokens),
    time: ({ ms }) => duration(ms),
    'rows a second': ({ assets, alarms, ms }) =>
      number(Math.round(((assets.length + alarms.length) / ms) * 1000)),
    output: ({ bytes }) => megabytes(bytes),
    'memory at most': ({ peakMemory }) => megabytes(peakMemory),
  };
  const rows = Object.entries(shown).map(([name, value]) => [name, ...reads.map(value)]);
  return table([['', 'first read', 'second read'], ...rows]);
}

function readWords({ assets, alarms, ms }: Read): string {
  return `${counted(assets.length, 'asset')} and ${counted(alarms.length, 'alarm')} in ${duration(ms)}.`;
}

const duration = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`;
