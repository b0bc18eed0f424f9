import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { FaultReport } from './control.ts';
import type { FaultPlans } from './faults/faults.ts';
import type { GroundTruth, GroundTruthSelection } from './ground-truth.ts';
import type { ListName, PagedBy } from './lists.ts';
import type { Options, OptionsPatch } from './options.ts';
import type { RequestLog } from './request-log.ts';
import type { Arrival, Deletion } from './rows.ts';
import type { SandboxConfig, ScenarioOptions } from './scenario.ts';
import type { Verdict } from './verdict.ts';

export { digestOf, lineForm, type RowSet } from './digest.ts';
export { faultNames, type FaultName } from './faults/catalogue.ts';
export type { FaultPlace, FaultPlan, FaultPlans } from './faults/faults.ts';
export type { EndpointName, ListName } from './lists.ts';
export type { Arrival, GroundTruthSelection, Options, OptionsPatch, SandboxConfig, ScenarioOptions };

/** A running sandbox process. */
export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/**
 * Starts a sandbox in a process of its own, on a free port of the loopback interface, and waits until it answers.
 * The process ends with `stop`, or by itself when this process ends in whatever way (its stdin closes).
 * Throws if it ends before it is ready; what it had to say is on stderr, which it shares with this process.
 */
export async function startSandbox() {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', main, '--json'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const line = once(createInterface({ input: child.stdout }), 'line');
  const first: unknown[] = await Promise.race([line, ended.then(() => [])]);
  if (typeof first[0] !== 'string') throw new Error('the sandbox ended before it was ready');
  const { url } = JSON.parse(first[0]) as { url: string };
  return {
    url,
    createScenario: async ({ options: knobs = {}, ...rest }: ScenarioOptions) => {
      const made = await call<{ id: string; config: SandboxConfig }>('POST', `${url}/worlds`, {
        ...rest,
        knobs,
      });
      return scenarioAt(url, made.id, made.config);
    },
    /** Ends the process and waits for its end. */
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await ended;
    },
  };
}

/** One scenario of the sandbox: its own rows, options, tokens, clock and request log. */
export type Scenario = ReturnType<typeof scenarioAt>;

/** The handle of a scenario; over HTTP it is a world, its options are knobs, and its ground truth is the truth. */
function scenarioAt(url: string, id: string, config: SandboxConfig) {
  const at = `${url}/worlds/${id}`;
  const ids = async (path: string, body: object): Promise<string[]> =>
    (await call<{ ids: string[] }>('POST', at + path, body)).ids;
  return {
    id,
    /** Ready to be written to a file and given to the connector. */
    config,
    /** Changes some options while the scenario runs; resolves to all of them. */
    setOptions: (patch: OptionsPatch) => call<Options>('PATCH', `${at}/knobs`, patch),
    /** Each resolves to the ids of the rows, oldest first: new ones at the head, deleted ones, new ones in created order. */
    insert: (list: PagedBy<'offset'>, insertion: { count: number }) => ids(`/${list}/insert`, insertion),
    delete: (list: PagedBy<'offset'>, deletion: Deletion) => ids(`/${list}/delete`, deletion),
    arrive: (list: PagedBy<'cursor'>, arrival: Arrival) => ids(`/${list}/arrive`, arrival),
    /** Moves the scenario's clock; resolves to its new time (ISO instant). */
    advanceClock: async (seconds: number) =>
      (await call<{ now: string }>('POST', `${at}/clock`, { advanceSeconds: seconds })).now,
    /** The present place in the scenario's sequence of changes. */
    mark: async () => (await call<{ mark: number }>('POST', `${at}/mark`, {})).mark,
    /** Judges JSON lines that a client has read since the last mark; `loose`: as tables have names and times. */
    verdict: async (list: ListName, lines: string, loose: boolean) => {
      const address = `${at}/verdict?list=${list}${loose ? '&loose=true' : ''}`;
      return (await (await ask(address, { method: 'POST', body: lines })).json()) as Verdict;
    },
    /** Counts and digests of the rows that exist. */
    groundTruth: () => call<GroundTruth>('GET', `${at}/truth`),
    /** The row texts in line form (see `digest.ts`), streamed, oldest created first, dead rows last. */
    groundTruthRows: (list: ListName, selection: GroundTruthSelection) => {
      const query = Object.entries(selection).map(([name, mark]) => `${name}=${mark}`);
      return linesOf(`${at}/truth/${list}?${query.join('&')}`);
    },
    /** The request log with the last `last` entries, at most 10,000. */
    requests: (last = 1000) => call<RequestLog>('GET', `${at}/requests?last=${last}`),
    /** Replaces the faults of the scenario's endpoints; `{}` lifts them all. Read with the config that it gives. */
    faults: (plans: FaultPlans) => call<FaultReport>('PUT', `${at}/faults`, plans),
    faultReport: () => call<FaultReport>('GET', `${at}/faults`),
    clearRequests: () => call<void>('DELETE', `${at}/requests`),
    /** Deletes the scenario. */
    remove: () => call<void>('DELETE', at),
  };
}

/** One JSON exchange; an empty answer becomes undefined. Throws on any status of 400 or more, with the body's words. */
async function call<T>(method: string, address: string, body?: object): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
  const text = await (await ask(address, init)).text();
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/** The lines of an NDJSON answer, streamed. */
async function* linesOf(address: string): AsyncGenerator<string> {
  const answer = await ask(address, {});
  let rest = '';
  for await (const text of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') throw new Error(`${address}: the last line was cut off`);
}

async function ask(address: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(address, init);
  if (answer.status < 400) return answer;
  throw new Error(`${init.method ?? 'GET'} ${address}: ${answer.status} ${await answer.text()}`);
}
