import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import split2 from 'split2';
import type { SandboxConfig } from './config.ts';
import type { FaultReport } from './control.ts';
import type { FaultPlans } from './faults/faults.ts';
import type { GroundTruth, GroundTruthSelection } from './ground-truth.ts';
import type { ListName, PagedBy } from './lists.ts';
import type { Options, OptionsPatch } from './options.ts';
import type { RequestLog } from './request-log.ts';
import type { Arrival, Deletion } from './rows.ts';
import type { ScenarioOptions } from './scenario.ts';
import type { Verdict } from './verdict.ts';

export { faultNames, type FaultName } from './faults/fault-kinds.ts';
export type { FaultPlace, FaultPlan, FaultPlans } from './faults/faults.ts';
export type { EndpointName, ListName } from './lists.ts';
export type { Arrival, GroundTruthSelection, Options, OptionsPatch, SandboxConfig, ScenarioOptions };

/** A running sandbox process. */
export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/**
 * Starts a sandbox in a separate process on a free port of the loopback interface and waits until it is ready. It stops when
 * `stop` is called or this process ends, however it ends, because its stdin closes. It shares stderr with this process.
 *
 * @throws Error if it exits before it is ready
 */
export async function startSandbox() {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', main, '--json'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const line = once(child.stdout.pipe(split2()), 'data');
  const first: unknown[] = await Promise.race([line, exited.then(() => [])]);
  if (typeof first[0] !== 'string') throw new Error('the sandbox exited before it was ready');
  const { url } = JSON.parse(first[0]) as { url: string };
  return {
    url,
    createScenario: async ({ options: knobs = {}, ...rest }: ScenarioOptions) => {
      const body = { ...rest, knobs };
      const { id, config } = await call<{ id: string; config: SandboxConfig }>('POST', `${url}/worlds`, body);
      return scenarioAt(`${url}/worlds/${id}`, id, config);
    },
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await exited;
    },
  };
}

let shared: Promise<Sandbox> | undefined;

/** A sandbox for all tests of a worker process, which ends with it. */
export async function sharedSandbox(): Promise<Sandbox> {
  shared ??= startSandbox();
  return shared;
}

/** One scenario of the sandbox with its own rows, options, tokens, clock and request log. */
export type Scenario = ReturnType<typeof scenarioAt>;

/** The handle of a scenario. In the HTTP API, scenarios are worlds, options are knobs and the ground truth is the truth. */
function scenarioAt(at: string, id: string, config: SandboxConfig) {
  const ids = async (path: string, body: object): Promise<string[]> =>
    (await call<{ ids: string[] }>('POST', at + path, body)).ids;
  return {
    id,
    config,
    /** Changes some options and resolves to all of them. */
    setOptions: (patch: OptionsPatch) => call<Options>('PATCH', `${at}/knobs`, patch),
    // These resolve to the ids of the inserted or deleted rows, oldest first.
    insert: (list: PagedBy<'offset'>, insertion: { count: number }) => ids(`/${list}/insert`, insertion),
    delete: (list: PagedBy<'offset'>, deletion: Deletion) => ids(`/${list}/delete`, deletion),
    arrive: (list: PagedBy<'cursor'>, arrival: Arrival) => ids(`/${list}/arrive`, arrival),
    /** Advances the clock and resolves to its new time. */
    advanceClock: async (seconds: number) =>
      (await call<{ now: string }>('POST', `${at}/clock`, { advanceSeconds: seconds })).now,
    /** Starts a measurement and resolves to the number of changes so far. */
    mark: async () => (await call<{ mark: number }>('POST', `${at}/mark`, {})).mark,
    /** Compares JSON lines that a client has read since the last mark; `loose` allows for the changes that loaders make. */
    verdict: async (list: ListName, lines: string, loose: boolean) => {
      const address = `${at}/verdict?list=${list}${loose ? '&loose=true' : ''}`;
      return (await (await send(address, { method: 'POST', body: lines })).json()) as Verdict;
    },
    groundTruth: () => call<GroundTruth>('GET', `${at}/truth`),
    /** Streams row texts in line form, oldest first, deleted rows last. */
    groundTruthRows: (list: ListName, selection: GroundTruthSelection) => {
      const query = Object.entries(selection).map(([name, mark]) => `${name}=${mark}`);
      return linesOf(`${at}/truth/${list}?${query.join('&')}`);
    },
    /** The request log with the last entries, at most 10,000. */
    requests: (last = 1000) => call<RequestLog>('GET', `${at}/requests?last=${last}`),
    /** Replaces all faults; `{}` removes them. Read with the config of the report. */
    faults: (plans: FaultPlans) => call<FaultReport>('PUT', `${at}/faults`, plans),
    faultReport: () => call<FaultReport>('GET', `${at}/faults`),
    clearRequests: () => call<void>('DELETE', `${at}/requests`),
    remove: () => call<void>('DELETE', at),
  };
}

/** Sends JSON and parses the response; an empty body becomes undefined. Throws an error with the body for a status of 400 or more. */
async function call<T>(method: string, address: string, body?: object): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
  const text = await (await send(address, init)).text();
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

async function* linesOf(address: string): AsyncGenerator<string> {
  const response = await send(address, {});
  let rest = '';
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') throw new Error(`${address}: the last line is truncated`);
}

async function send(address: string, init: RequestInit): Promise<Response> {
  const response = await fetch(address, init);
  if (response.status < 400) return response;
  throw new Error(`${init.method ?? 'GET'} ${address}: ${response.status} ${await response.text()}`);
}
