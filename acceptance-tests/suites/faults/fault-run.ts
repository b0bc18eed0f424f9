import { randomBytes } from 'node:crypto';
import type { FaultName, ListName, Sandbox, Scenario } from '../../sandbox/client.ts';
import { eachList, listNames } from '../../sandbox/lists.ts';
import { compareRows } from '../../support/compare-rows.ts';
import { fastTime, fastWaits, realWaits } from '../../support/fast-time.ts';
import { writeInputs } from '../../support/input-files.ts';
import { runConnector } from '../../support/run-connector.ts';
import type { CheckedLine, Run } from '../../support/run-connector.ts';
import { errors, recordTexts, statuses } from '../../support/run-views.ts';
import type { CellRun } from './fault-cells.ts';
import { passing } from './fault-expectations.ts';
import type { Expected } from './fault-expectations.ts';
import { secretPieces } from './secret-forms.ts';

/** What came of a run. */
export interface Outcome {
  /** How each stream ended: with every row exactly, or with that kind of error. */
  readonly endings: Readonly<Record<ListName, string>>;
  /** Everything that is not as it has to be. */
  readonly wrong: readonly string[];
}

/** Rows of each list, and of a page: five pages, three of them in the middle. */
const rows = 110;
const pageSize = 25;
/** ms of a wait at most. */
const shortWaitMs = 50;
/** ms after which a run counts as one that never ends; the longest wait for six deadlines. */
const timeoutMs = 60_000;

/** Reads a world of its own with the faults of `run`, by the built program, and judges what it wrote. */
export async function runCells(run: CellRun, sandbox: Sandbox, folder: string): Promise<Outcome> {
  const clientSecret = `canary+"secret"/%é ${randomBytes(16).toString('base64')}`;
  const world = await sandbox.createScenario({
    assets: rows,
    alarms: rows,
    clientId: 'canary-client',
    clientSecret,
    options: { alarmsMaxPageSize: pageSize, tokenFormat: run.cells.length === 1 ? 'opaque' : 'jwt' },
  });
  const { config } = await world.faults(run.plans);
  const assets = { ...config.assets, page_size: pageSize };
  const files = await writeInputs(folder, { config: { ...config, assets } });
  const ended = await runConnector(['read', ...files.args], {
    folder: files.folder,
    env: timeFor(run),
    timeoutMs,
    secrets: [],
    onLine: lifting(run, world),
  });
  const outcome = await judge(run, ended, world, clientSecret);
  await world.remove();
  return outcome;
}

function timeFor({ cells }: CellRun): Readonly<Record<string, string>> {
  const has = (name: FaultName): boolean => cells.some(({ fault }) => fault === name);
  if (has('connectionRefused')) return realWaits();
  return has('hugeBody') ? fastWaits(shortWaitMs) : fastTime(shortWaitMs);
}

/** A connection that is refused comes back when the connector has noticed. */
function lifting(run: CellRun, world: Scenario): (line: CheckedLine) => Promise<void> {
  let plans = run.plans;
  return async ({ message }) => {
    if (message.type !== 'LOG' || message.log.level !== 'WARN') return;
    const { message: words } = message.log;
    const back = run.cells.find(
      ({ fault, form, endpoint }) =>
        fault === 'connectionRefused' &&
        form === 'passing' &&
        words.includes(endpoint === 'token' ? 'auth_url:' : `${endpoint}:`),
    );
    if (back === undefined || plans[back.endpoint] === undefined) return;
    const { [back.endpoint]: _lifted, ...rest } = plans;
    plans = rest;
    await world.faults(plans);
  };
}

async function judge(run: CellRun, ended: Run, world: Scenario, clientSecret: string): Promise<Outcome> {
  const { hits } = await world.faultReport();
  const { tokens } = await world.requests(0);
  const wrong: string[] = [];
  if (ended.signal !== null) wrong.push('it never ended');
  for (const { endpoint, fault } of run.cells)
    if (hits[endpoint] === 0 && !(endpoint === 'token' && fault === 'connectionRefused'))
      wrong.push(`${endpoint}: the fault never happened`);
  const endings = eachList(() => 'other');
  for (const stream of listNames) {
    const told = errors(ended).filter((error) => error.stream_descriptor?.name === stream);
    endings[stream] = told[0] === undefined ? 'exact' : (told[0].failure_type ?? 'other');
    // a fault of a list concerns that list, one of the token endpoint both, and what no fault concerns is exact
    const cell = run.cells.find(({ endpoint }) => endpoint === stream || endpoint === 'token');
    const expected = cell?.expected ?? passing('status500', stream, 'first');
    const faults = await streamFaults(ended, world, stream, expected);
    if (faults.length > 0)
      wrong.push(`${stream}: ${faults.join('; ')}: ${told[0]?.message} (${told[0]?.internal_message})`);
  }
  const code = Object.values(endings).every((ending) => ending === 'exact') ? 0 : 1;
  if (ended.code !== code) wrong.push(`exit code ${ended.code}`);
  if (errors(ended).some(({ stream_descriptor: stream }) => stream === undefined || stream === null))
    wrong.push('an error that belongs to no stream');
  const output = ended.stdout.toString() + ended.stderr;
  const leaks = secretPieces([clientSecret, ...tokens.values]).filter((piece) => output.includes(piece));
  if (leaks.length > 0) wrong.push(`secrets in the output, such as ${leaks[0]}`);
  return { endings, wrong };
}

/** What is wrong with how a stream ended: with every row exactly, or loudly, with a message that helps. */
async function streamFaults(
  run: Run,
  world: Scenario,
  stream: ListName,
  expected: Expected,
): Promise<string[]> {
  const [error, ...more] = errors(run).filter((each) => each.stream_descriptor?.name === stream);
  const found = await compareRows(recordTexts(run, stream), world.groundTruthRows(stream, {}));
  const ending = error === undefined ? 'exact' : (error.failure_type ?? 'other');
  const last = statuses(run, stream).at(-1);
  const mayLose = error !== undefined;
  return [
    expected.endings.some((each) => each === ending) ? '' : `ends with ${ending}`,
    more.length > 0 ? `${more.length + 1} errors` : '',
    found.doubled + found.strange + (mayLose ? 0 : found.lost) > 0 ? `rows: ${JSON.stringify(found)}` : '',
    last === (error === undefined ? 'COMPLETE' : 'INCOMPLETE') ? '' : `last status ${last}`,
    error === undefined || expected.words.test(error.message) ? '' : `no match of ${expected.words.source}`,
  ].filter((fault) => fault !== '');
}
