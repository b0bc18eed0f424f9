import { randomBytes } from 'node:crypto';
import type { FaultName, ListName, Sandbox, Scenario } from '../../sandbox/client.ts';
import { predefinedNames } from '../../sandbox/lists.ts';
import { compareRows } from '../../support/compare-rows.ts';
import { fastTime, fastWaits, realWaits } from '../../support/fast-time.ts';
import { writeInputs } from '../../support/input-files.ts';
import { runConnector, type CheckedLine, type Run } from '../../support/run-connector.ts';
import { errors, recordTexts, statuses } from '../../support/run-views.ts';
import { plansOf, type Cell } from './fault-cells.ts';
import { passing } from './fault-expectations.ts';
import { secretPieces } from './secret-forms.ts';

const ROWS = 110; // rows of each list, and of a page: five pages, three of them in the middle
const pageSize = 25;
const maxWaitMs = 50;
const timeoutMs = 200_000; // after which a run counts as endless; the longest ones wait for six deadlines

/** Reads a new scenario with the faults of the cells. Returns all problems. */
export async function wrongWith(cells: readonly Cell[], sandbox: Sandbox, folder: string): Promise<string[]> {
  const clientSecret = `canary+"secret"/%é ${randomBytes(16).toString('base64')}`;
  const world = await sandbox.createScenario({
    assets: ROWS,
    alarms: ROWS,
    clientId: 'canary-client',
    clientSecret,
    options: { alarmsMaxPageSize: pageSize, tokenFormat: cells.length === 1 ? 'opaque' : 'jwt' },
  });
  const { config } = await world.faults(plansOf(cells));
  const files = await writeInputs(folder, {
    config: { ...config, assets: { ...config.assets, page_size: pageSize } },
  });
  const run = await runConnector(['read', ...files.args], {
    folder: files.folder,
    env: timeFor(cells),
    timeoutMs,
    secrets: [],
    onLine: lifting(cells, world),
  });
  const wrong = await judge(cells, run, world, clientSecret);
  await world.remove();
  return wrong;
}

function timeFor(cells: readonly Cell[]): Readonly<Record<string, string>> {
  const has = (name: FaultName): boolean => cells.some(({ fault }) => fault === name);
  if (has('connectionRefused')) return realWaits();
  return has('hugeBody') ? fastWaits(maxWaitMs) : fastTime(maxWaitMs);
}

/** Accepts connections again once the connector has noticed that they are refused. */
function lifting(cells: readonly Cell[], world: Scenario): (line: CheckedLine) => Promise<void> {
  let left = cells;
  return async ({ message }) => {
    if (message.type !== 'LOG' || message.log.level !== 'WARN') return;
    const words = message.log.message;
    const isBack = ({ fault, form, endpoint }: Cell): boolean =>
      fault === 'connectionRefused' &&
      form === 'passing' &&
      words.includes(endpoint === 'token' ? 'auth_url:' : `${endpoint}:`);
    if (!left.some(isBack)) return;
    left = left.filter((cell) => !isBack(cell));
    await world.faults(plansOf(left));
  };
}

async function judge(
  cells: readonly Cell[],
  run: Run,
  world: Scenario,
  clientSecret: string,
): Promise<string[]> {
  const { hits } = await world.faultReport();
  const { tokens } = await world.requests(0);
  const unmet = cells.filter(
    ({ endpoint, fault }) => hits[endpoint] === 0 && !(endpoint === 'token' && fault === 'connectionRefused'),
  );
  const ofStreams = await Promise.all(
    predefinedNames.map((stream) => streamFaults(cells, run, world, stream)),
  );
  const output = run.stdout.toString() + run.stderr;
  const leaks = secretPieces([clientSecret, ...tokens.values]).filter((piece) => output.includes(piece));
  const ofNobody = errors(run).filter(
    ({ stream_descriptor: stream }) => stream === undefined || stream === null,
  );
  return [
    ...(run.signal === null ? [] : ['it did not end']),
    ...unmet.map(({ endpoint }) => `${endpoint}: the fault never happened`),
    ...ofStreams.flat(),
    ...(run.code === exitCodeFor(run) ? [] : [`exit code ${run.code}`]),
    ...ofNobody.map(({ message }) => `an error that belongs to no stream: ${message}`),
    ...leaks.slice(0, 1).map((piece) => `secrets in the output, such as ${piece}`),
  ];
}

/** 75 if all failures are temporary. */
function exitCodeFor(run: Run): number {
  const types = errors(run).map(({ failure_type: type }) => type);
  if (types.length === 0) return 0;
  return types.every((type) => type === 'transient_error') ? 75 : 1;
}

/** The problems of a stream, which must end with every row or with a helpful error. */
async function streamFaults(
  cells: readonly Cell[],
  run: Run,
  world: Scenario,
  stream: ListName,
): Promise<string[]> {
  // a fault of the token endpoint affects both lists; a list without a fault is complete
  const cell = cells.find(({ endpoint }) => endpoint === stream || endpoint === 'token');
  const { endings, words } = cell?.expected ?? passing('status500', stream, 'first');
  const [error, ...more] = errors(run).filter((each) => each.stream_descriptor?.name === stream);
  const found = await compareRows(recordTexts(run, stream), world.groundTruthRows(stream, {}));
  const ending = error === undefined ? 'exact' : error.failure_type;
  const last = statuses(run, stream).at(-1);
  const rows = { ...found, lost: error === undefined ? found.lost : [] };
  const told = `${error?.message} (${error?.internal_message})`;
  return [
    endings.some((each) => each === ending) ? '' : `ends with ${ending}`,
    more.length > 0 ? `${more.length + 1} errors` : '',
    Object.values(rows).some(({ length }) => length > 0) ? `rows: ${JSON.stringify(rows)}` : '',
    last === (error === undefined ? 'COMPLETE' : 'INCOMPLETE') ? '' : `last status ${last}`,
    error === undefined || words.test(error.message) ? '' : `no match of ${words.source}`,
  ].flatMap((fault) => (fault === '' ? [] : [`${stream}: ${fault}: ${told}`]));
}
