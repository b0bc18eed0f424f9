import { spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { readOutput, startAs, useRowApi } from './process-rig.ts';

/** Makes what follows the first process of a namespace of its own, as it is in a container; its exit code comes through. */
const AS_FIRST = ['unshare', '--fork', '--pid', '--mount-proc', '--kill-child'];

/** Why no process can be made the first one of a namespace here; null if it can. */
function whyNoFirstProcess(): string | null {
  const { error, status, stderr } = spawnSync('unshare', [...AS_FIRST.slice(1), 'true'], {
    encoding: 'utf8',
  });
  if (error !== undefined) return error.message;
  return status === 0 ? null : stderr.trim();
}

/** Sends a signal from outside, as a container's runtime does. */
async function signalInside({ pid, exitCode }: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  try {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    const first = Number(children.split(' ')[0]);
    // 0 would be this process's own group
    if (first > 0) process.kill(first, signal);
  } catch (error) {
    // it has ended before
    const isGone = ['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '');
    if (exitCode === null && !isGone) throw error;
  }
}

const reason = whyNoFirstProcess();
describe.skipIf(reason !== null)(`as PID 1${reason === null ? '' : `, left out: ${reason}`}`, () => {
  test.each<[NodeJS.Signals, code: number]>([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ])('%s ends a read with exit code %i', async (signal, code) => {
    const api = await useRowApi(5000, 100, { assets: (before) => before > 2 });
    const reader = readOutput(await startAs('read', { config: api.config }, { through: AS_FIRST }));
    await api.takenOver;
    await reader.until('"RECORD"');
    await signalInside(reader.process, signal);
    await reader.endsAs(code, [
      'STARTED',
      'RUNNING',
      `transient_error: the connector was told to stop (${signal}) before the end; start it again.`,
      'STATE',
      'INCOMPLETE',
    ]);
  });

  test('a second signal ends it though nobody reads', async () => {
    const api = await useRowApi(5000, 10_000, {});
    const reader = readOutput(await startAs('read', { config: api.config }, { through: AS_FIRST }));
    await reader.until('"RECORD"');
    reader.pause();
    await signalInside(reader.process, 'SIGTERM');
    const ended = new Promise((resolve) => {
      reader.process.once('exit', (code) => resolve(code));
    });
    // nothing shows when the first one has been taken in, so the second one is sent until the process ends
    const again = setInterval(() => void signalInside(reader.process, 'SIGTERM'), 100);
    expect(await ended).toBe(143);
    clearInterval(again);
  });

  test('a read that is complete ends with 0', async () => {
    const api = await useRowApi(10, 10, {});
    const reader = readOutput(await startAs('read', { config: api.config }, { through: AS_FIRST }));
    await reader.endsAs(0, ['STARTED', 'RUNNING', 'STATE', 'COMPLETE']);
  });
});
