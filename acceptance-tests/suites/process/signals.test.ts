import { spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Answer, Behavior } from '../../support/fixed-api.ts';
import { start, useRowApi } from './process-fixture.ts';

const stall: Answer = () => true;
const fourthPage: Behavior = { assets: (before) => before > 2 };
const halfBody: Answer = (_, response) => response.write('{"items":[');
const waitTenMinutes: Answer = (_, response) =>
  response.writeHead(429, { 'retry-after': '600' }).end().writableEnded;

const stopped = (signal: string): string =>
  `transient_error: the connector was stopped (${signal}) before it finished. Run it again; a read goes on from its saved state.`;
const ofRead = (signal: string): string[] => ['STARTED', 'RUNNING', stopped(signal), 'STATE', 'INCOMPLETE'];

test.each<[command: string, where: string, NodeJS.Signals, Behavior, words: string]>([
  ['read', 'half a page has arrived', 'SIGINT', { assets: halfBody }, 'STARTED ? INCOMPLETE'],
  ['read', 'a limit is waited out', 'SIGTERM', { assets: waitTenMinutes }, 'STARTED RUNNING ? INCOMPLETE'],
  ['check', 'a page is awaited', 'SIGTERM', { assets: stall }, '?'],
  ['read', 'a token is awaited', 'SIGTERM', { token: stall }, 'STARTED ? INCOMPLETE'],
  ['read', 'the first page is awaited', 'SIGINT', { assets: stall }, 'STARTED ? INCOMPLETE'],
  ['discover', 'a page is awaited', 'SIGINT', { assets: stall }, '?'],
])('a %s that is stopped while %s ends by %s', async (command, where, signal, behavior, words) => {
  const { config, takenOver } = await useRowApi(5000, 100, behavior);
  const running = await start(command, config, {});
  await (where.includes('limit') ? running.until('"RATE_LIMITED"') : takenOver);
  running.process.kill(signal);
  const outline = words.split(' ').map((word) => (word === '?' ? stopped(signal) : word));
  await running.endsAs(signal, outline);
});

test('SIGHUP is ignored where no stream is a terminal', async () => {
  const { config, takenOver } = await useRowApi(5000, 100, fourthPage);
  const running = await start('read', config, {});
  await takenOver;
  running.process.kill('SIGHUP');
  await delay(300);
  expect(running.process.exitCode).toBeNull();
  running.process.kill('SIGTERM');
  await running.endsAs('SIGTERM', ofRead('SIGTERM'));
});

test('SIGUSR1 opens no debugger port', async () => {
  const { config, takenOver } = await useRowApi(5000, 100, fourthPage);
  const running = await start('read', config, {});
  await takenOver;
  running.process.kill('SIGUSR1');
  running.process.kill('SIGTERM');
  await running.endsAs('SIGTERM', ofRead('SIGTERM'));
});

test('SIGTERM while stdout is not read: all output arrives once it is read', async () => {
  const { config } = await useRowApi(5000, 10_000, fourthPage);
  const running = await start('read', config, {});
  await running.until('"RECORD"');
  running.stdout.pause();
  running.process.kill('SIGTERM');
  running.stdout.resume();
  await running.endsAs('SIGTERM', ofRead('SIGTERM'));
});

test('in its first half second it ends by the signal or is complete, with an empty stderr', async () => {
  const { config } = await useRowApi(200, 10, {});
  const ends = [0, 120, 250, 500, 60, 180, 350].map(async (ms) => {
    const running = await start('read', config, {});
    await delay(ms);
    running.process.kill('SIGINT');
    const { code, signal, stderr } = await running.exit;
    expect([code, signal, stderr]).toStrictEqual(code === null ? [null, 'SIGINT', ''] : [0, null, '']);
    // before its first output it ends without any
    if (running.output().length === 0) return 'silent';
    return (await running.ended()).signal;
  });
  expect(await Promise.all(ends)).toContain('silent');
});

/** Runs a command as PID 1 of a namespace, as in a container, and ends with its exit code. */
const AS_FIRST = ['unshare', '--fork', '--pid', '--mount-proc', '--kill-child'];

/** Why no process can be PID 1 of a namespace here; empty if it can. */
function whyNoFirstProcess(): string {
  const { error, status, stderr } = spawnSync('unshare', [...AS_FIRST.slice(1), 'true']);
  return error?.message ?? (status === 0 ? '' : String(stderr).trim());
}

/** Sends a signal from outside the namespace, as a container runtime does, unless the process has ended. */
function signalInside({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  spawnSync('sh', ['-c', `kill -s ${signal.slice(3)} $(cat /proc/${pid}/task/${pid}/children)`]);
}

const reason = whyNoFirstProcess();

describe.each([
  { place: 'any process', isFirst: false },
  { place: `PID 1${reason && `, skipped: ${reason}`}`, isFirst: true },
])('as $place', ({ isFirst }) => {
  const through = isFirst ? AS_FIRST : [];
  const send = (to: ChildProcess, signal: NodeJS.Signals): void =>
    isFirst ? signalInside(to, signal) : void to.kill(signal);
  const endBy = (signal: 'SIGTERM' | 'SIGINT'): number | NodeJS.Signals =>
    isFirst ? 128 + constants.signals[signal] : signal;
  const place = test.skipIf(isFirst && reason !== '');

  place.each(['SIGTERM', 'SIGINT'] as const)(
    '%s while a later page is awaited: last state, INCOMPLETE',
    async (signal) => {
      const { config, takenOver } = await useRowApi(5000, 100, fourthPage);
      const running = await start('read', config, { through });
      await Promise.all([takenOver, running.until('"RECORD"')]);
      send(running.process, signal);
      await running.endsAs(endBy(signal), ofRead(signal));
    },
  );

  place('a second signal ends it at once, even if its output is not read', async () => {
    const { config } = await useRowApi(5000, 10_000, {});
    const running = await start('read', config, { through });
    const exited = once(running.process, 'exit');
    await running.until('"RECORD"');
    running.stdout.pause();
    send(running.process, 'SIGTERM');
    // it is not visible when the first signal was handled, so the second one is repeated
    const again = setInterval(() => send(running.process, 'SIGINT'), 100);
    const [code, signal] = (await exited) as [number | null, NodeJS.Signals | null];
    clearInterval(again);
    // two pending signals may arrive in either order
    expect([endBy('SIGINT'), endBy('SIGTERM')]).toContain(code ?? signal);
  });

  place('a read that is complete ends with 0', async () => {
    const { config } = await useRowApi(10, 10, {});
    const running = await start('read', config, { through });
    await running.endsAs(0, ['STARTED', 'RUNNING', 'STATE', 'COMPLETE']);
  });
});
