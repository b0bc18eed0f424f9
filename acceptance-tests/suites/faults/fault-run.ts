import { randomBytes } from 'node:crypto';
import type { FaultName, ListName, Sandbox, Scenario } from '../../sandbox/client.ts';
import { eachList } from '../../sandbox/lists.ts';
import { fastTime, fastWaits, realWaits } from '../../support/fast-time.ts';
import { writeInputs } from '../../support/input-files.ts';
import { runConnector } from '../../support/run-connector.ts';
import type { Run } from '../../support/run-connector.ts';
import { errors } from '../../support/run-views.ts';
import type { CheckedLine } from '../../support/run-connector.ts';
import { createTimeLimit } from './time-limit.ts';
import type { CellRun } from './fault-cells.ts';
import { passing } from './fault-expectations.ts';
import type { Ending, Expected } from './fault-expectations.ts';
import { judgeStream } from './judge-run.ts';
import { secretPieces } from './secret-forms.ts';

/** What came of a run. */
export interface Outcome {
  /** How each stream ended. */
  readonly endings: Readonly<Record<ListName, Ending | 'other'>>;
  /** Everything that is not as it has to be. */
  readonly wrong: readonly string[];
}

/** Rows of each list, and of a page: five pages, three of them in the middle. */
const rows = 110;
const pageSize = 25;
/** ms of a wait at most. */
const shortWaitMs = 50;
/** ms after which a run counts as one that never ends; the longest wait for six deadlines. */
const longestRunMs = 60_000;

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
  const lift = lifting(run, world);
  const limit = createTimeLimit(longestRunMs);
  const ended = await runConnector(['read', ...files.args], {
    folder: files.folder,
    env: timeFor(run),
    secrets: [],
    onLine: async (line) => {
      limit.watch(line.process);
      await lift(line);
    },
  });
  limit.over();
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
  const endings = eachList((): Ending | 'other' => 'other');
  for (const stream of ['assets', 'alarms'] as const) {
    const verdict = await judgeStream(ended, world, stream, expectedOf(run, stream));
    endings[stream] = verdict.ending;
    if (verdict.wrong !== undefined) wrong.push(verdict.wrong);
  }
  const code = endings.assets === 'exact' && endings.alarms === 'exact' ? 0 : 1;
  if (ended.code !== code) wrong.push(`exit code ${ended.code}`);
  if (errors(ended).some(({ stream_descriptor: stream }) => stream === undefined || stream === null))
    wrong.push('an error that belongs to no stream');
  const output = ended.stdout.toString() + ended.stderr;
  const leaks = secretPieces([clientSecret, ...tokens.values]).filter((piece) => output.includes(piece));
  if (leaks.length > 0) wrong.push(`secrets in the output, such as ${leaks[0]}`);
  return { endings, wrong };
}

/** A fault of a list concerns that list, one of the token endpoint both, and what no fault concerns is exact. */
function expectedOf({ cells }: CellRun, stream: ListName): Expected {
  const cell = cells.find(({ endpoint }) => endpoint === stream || endpoint === 'token');
  return cell?.expected ?? passing('status500', stream, 'first');
}
