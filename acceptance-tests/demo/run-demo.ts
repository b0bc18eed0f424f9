import { join, resolve } from 'node:path';
import { compareRows } from '../support/compare-rows.ts';
import { runConnector, type Run } from '../support/run-connector.ts';
import { discovered, verdict } from '../support/run-views.ts';
import { counted, duration, megabytes, number, print, printProgress, table } from './output.ts';
import { fingerprints, readOnce, type Place, type Read } from './read.ts';

/** The maximum number of changes during a read, and the number of records before the first; the interval doubles. */
const maxChanges = 10;
const firstInterval = 20;

let steps = 0;
function printStep(title: string, ...lines: readonly string[]): void {
  steps += 1;
  print(`${steps}. ${title}`, ...lines.map((line) => `     ${line}`), '');
}

/** Runs the demo. Returns whether no row was lost, duplicated or altered. Throws an error if a run fails. */
export async function runDemo(place: Place): Promise<boolean> {
  const { world, folder } = place;
  const { assets, alarms } = await world.groundTruth();
  print(
    `\nThe sandbox is a local server that implements the whole API. It contains ${counted(assets.count, 'asset')}`,
    `and ${counted(alarms.count, 'alarm')}. The connector now runs against it, as a platform would run it.\n`,
  );
  await describeConnector(place);
  // about one row in a hundred
  const amount = Math.ceil(Math.max(assets.count, alarms.count, 100) / 100);
  const first = await readWhileChanging(place, Math.ceil(amount / maxChanges));
  await world.arrive('alarms', { count: amount });
  await world.insert('assets', { count: amount });
  await world.delete('assets', { count: amount, at: 'random' });
  const changes = `${counted(amount, 'alarm')} added, ${counted(amount, 'asset')} inserted, ${number(amount)} deleted.`;
  printStep('Time passes, and the fleet changes', changes);
  const second = await readOnce(place, 'second-read', first.path, async (records) => showProgress(records));
  printStep(
    `read again, with --state ${first.path}, into ${join(folder, 'second-read.jsonl')}`,
    readSummary(second),
    'The output of the first read is the state: alarms resume where it ended, and all assets are read again.',
  );
  print(...figures(first, second).map((line) => `  ${line}`));
  printProgress('comparing all rows with the sandbox …');
  return isExact(place, first, second);
}

function showProgress(records: number): void {
  if (records % 5000 === 0) printProgress(`reading: ${number(records)} rows …`);
}

/** Reads everything while `count` rows are inserted, deleted and added in each change. */
async function readWhileChanging(place: Place, count: number): Promise<Read> {
  const { world } = place;
  const done = { inserted: 0, deleted: 0, added: 0 };
  let changes = 0;
  const read = await readOnce(place, 'first-read', null, async (records) => {
    showProgress(records);
    if (records < firstInterval * 2 ** changes || changes === maxChanges) return;
    changes += 1;
    done.inserted += (await world.insert('assets', { count })).length;
    done.deleted += (await world.delete('assets', { count, at: 'random' })).length;
    done.added += (await world.arrive('alarms', { count })).length;
  });
  printStep(
    `read: everything, into ${read.path}`,
    readSummary(read),
    `During the read, ${counted(done.inserted, 'asset')} were inserted at the head of the list, ${number(done.deleted)} were deleted`,
    `at random, and ${counted(done.added, 'alarm')} were added.`,
  );
  return read;
}

async function describeConnector({ folder, world }: Place): Promise<void> {
  const file = join(folder, 'config.json');
  const run = async (...args: string[]): Promise<Run> => {
    const ended = await runConnector(args, { folder, secrets: [world.config.client_secret] });
    if (ended.code === 0) return ended;
    throw new Error(`${args[0]} exited with ${ended.code ?? ended.signal}: ${ended.stdout.toString()}`);
  };
  const [schema] = (await run('spec')).messages.flatMap((message) =>
    message.type === 'SPEC' ? [message.spec.connectionSpecification] : [],
  );
  const { properties = {}, required = [] } = schema as { properties?: object; required?: string[] };
  const keys = counted(Object.keys(properties).length, 'key');
  printStep('spec: what can be configured?', `${keys}; required: ${required.join(', ')}, and a stream.`);
  const { status, lines } = verdict(await run('check', '--config', resolve(file)));
  printStep(`check: can it read with ${file}?`, status, ...lines);
  const streams = discovered(await run('discover', '--config', resolve(file)));
  const described = streams.map(
    ({ name, json_schema: { properties: fields }, supported_sync_modes: modes }) => {
      return `${name}: ${counted(Object.keys(fields).length, 'field')}, sync modes ${modes.join(', ')}`;
    },
  );
  printStep('discover: what can be read?', ...described);
}

async function isExact({ world }: Place, first: Read, second: Read): Promise<boolean> {
  const emitted = [...first.alarms, ...second.alarms];
  const alarms = await compareRows(emitted, fingerprints(world.groundTruthRows('alarms', {})));
  const all = [alarms, first.differences, second.differences];
  const [lost = 0, duplicated = 0, altered = 0] = (['lost', 'repeated', 'unknown'] as const).map((kind) =>
    all.reduce((total, differences) => total + differences[kind].length, 0),
  );
  const passed = lost + duplicated + altered === 0;
  print(
    '\nCompared with the rows of the sandbox, byte for byte:',
    `  rows lost ${number(lost)}, duplicated ${number(duplicated)}, altered ${number(altered)}. ${passed ? 'Success.' : 'FAILED.'}`,
    '  (each alarm once over both reads, and each asset that existed throughout a read once in that read)\n',
    'To see the JSON lines:',
    `  head -n 4 ${first.path}`,
    `  grep '"STATE"' ${second.path}\n`,
  );
  return passed;
}

function figures(...reads: Read[]): string[] {
  const shown: Record<string, (read: Read) => string> = {
    assets: ({ assets }) => counted(assets.length, 'row'),
    alarms: ({ alarms }) => counted(alarms.length, 'row'),
    requests: ({ requests }) => number(requests),
    'tokens requested': ({ tokens }) => number(tokens),
    time: ({ ms }) => duration(ms),
    'rows per second': ({ assets, alarms, ms }) =>
      number(Math.round(((assets.length + alarms.length) / ms) * 1000)),
    output: ({ bytes }) => megabytes(bytes),
    'peak memory': ({ peakMemory }) => megabytes(peakMemory),
  };
  const rows = Object.entries(shown).map(([name, value]) => [name, ...reads.map(value)]);
  return table([['', 'first read', 'second read'], ...rows]);
}

const readSummary = ({ assets, alarms, ms }: Read): string =>
  `${counted(assets.length, 'asset')} and ${counted(alarms.length, 'alarm')} in ${duration(ms)}.`;
