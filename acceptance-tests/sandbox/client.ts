import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Sandbox, SandboxConfig, Scenario } from './client-types.ts';
import { createControl, type Control } from './client-control.ts';

export type * from './client-types.ts';
export type { Knobs as Options, KnobPatch as OptionsPatch } from './knobs/knobs.ts';
export { faultNames } from './faults/fault-plan.ts';
export type { FaultName, FaultPlace, FaultPlan, FaultPlans, FaultReport } from './faults/fault-plan.ts';
export { createRowDigest, digestOf, lineForm } from './digest.ts';
export type { RowDigest, RowSet } from './digest.ts';

interface Ready {
  url: string;
  world: { id: string; config: SandboxConfig };
}

/**
 * Starts a sandbox in a process of its own, on a free port of the loopback interface, and waits until it answers.
 * The process ends with {@link Sandbox.stop}, or by itself when this process ends in whatever way (its stdin closes).
 * Throws if it ends before it is ready; what it had to say is on stderr, which it shares with this process.
 */
export async function startSandbox(): Promise<Sandbox> {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', main, '--json'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const line = once(createInterface({ input: child.stdout }), 'line');
  const first: unknown[] = await Promise.race([line, ended.then(() => [])]);
  if (typeof first[0] !== 'string') throw new Error('the sandbox ended before it was ready');
  const ready = JSON.parse(first[0]) as Ready;
  const control = createControl(ready.url);
  return {
    url: ready.url,
    demo: worldHandle(control, ready.world.id, ready.world.config),
    createScenario: async ({ options, ...rest }) => {
      const body = options === undefined ? rest : { ...rest, knobs: options };
      const made = await control.call<Ready['world']>('POST', '/worlds', body);
      return worldHandle(control, made.id, made.config);
    },
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await ended;
    },
  };
}

function worldHandle(control: Control, id: string, config: SandboxConfig): Scenario {
  const at = `/worlds/${id}`;
  const ids = async (path: string, body: object): Promise<string[]> =>
    (await control.call<{ ids: string[] }>('POST', at + path, body)).ids;
  return {
    id,
    config,
    setOptions: (patch) => control.call('PATCH', `${at}/knobs`, patch),
    insert: (list, insertion) => ids(`/${list}/insert`, insertion),
    delete: (list, deletion) => ids(`/${list}/delete`, deletion),
    arrive: (list, arrival) => ids(`/${list}/arrive`, arrival),
    advanceClock: async (seconds) =>
      (await control.call<{ now: string }>('POST', `${at}/clock`, { advanceSeconds: seconds })).now,
    mark: async () => (await control.call<{ mark: number }>('POST', `${at}/mark`, {})).mark,
    groundTruth: (since) => control.call('GET', `${at}/truth${since === undefined ? '' : `?since=${since}`}`),
    groundTruthRows: (list, selection) => {
      const query = Object.entries(selection).map(([name, mark]) => `${name}=${mark}`);
      return control.lines(`${at}/truth/${list}?${query.join('&')}`);
    },
    requests: (last) => control.call('GET', `${at}/requests${last === undefined ? '' : `?last=${last}`}`),
    faults: (plans) => control.call('PUT', `${at}/faults`, plans),
    faultReport: () => control.call('GET', `${at}/faults`),
    clearRequests: () => control.call('DELETE', `${at}/requests`),
    remove: () => control.call('DELETE', at),
  };
}
