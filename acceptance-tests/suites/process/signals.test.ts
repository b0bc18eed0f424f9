import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { Answer, Behaviour } from '../../support/fixed-api.ts';
import { start, useRowApi } from './process-rig.ts';

const stall: Answer = () => true;
const halfBody: Answer = (_, response) => response.write('{"items":[');
const waitTenMinutes: Answer = (_, response) => {
  response.writeHead(429, { 'retry-after': '600' }).end();
  return true;
};

/** So many rows, so wide, that a page fills a pipe many times over. */
const WIDE = [5000, 10_000] as const;

function stopped(signal: string): string {
  return `transient_error: the connector was told to stop (${signal}) before the end; start it again.`;
}

describe('a read that is told to stop ends by that signal: lines whole, last state, INCOMPLETE', () => {
  test.each<[where: string, NodeJS.Signals, Behaviour, outline: string[]]>([
    ['a token is awaited', 'SIGTERM', { token: stall }, []],
    ['the first page is awaited', 'SIGINT', { assets: stall }, []],
    ['half a page is there', 'SIGINT', { assets: halfBody }, []],
    ['a later page is awaited', 'SIGTERM', { assets: (before) => before > 2 }, ['RUNNING']],
  ])('while %s', async (_, signal, behaviour, running) => {
    const api = await useRowApi(5000, 100, behaviour);
    const reader = await start('read', { config: api.config }, {});
    await api.takenOver;
    if (running.length > 0) await reader.until('"RECORD"');
    reader.process.kill(signal);
    const states = running.map(() => 'STATE');
    await reader.endsAs(signal, ['STARTED', ...running, stopped(signal), ...states, 'INCOMPLETE']);
  });

  test.each<NodeJS.Signals>(['SIGTERM', 'SIGINT'])(
    'while a rate limit is waited out, which would take ten minutes (%s)',
    async (signal) => {
      const api = await useRowApi(10, 10, { assets: waitTenMinutes });
      const reader = await start('read', { config: api.config }, {});
      await reader.until('"RATE_LIMITED"');
      reader.process.kill(signal);
      await reader.endsAs(signal, ['STARTED', 'RUNNING', stopped(signal), 'INCOMPLETE']);
    },
  );

  test('while its reader does not read: everything is there when it reads again', async () => {
    const api = await useRowApi(...WIDE, {});
    const reader = await start('read', { config: api.config }, {});
    await reader.until('"RECORD"');
    reader.pause();
    reader.process.kill('SIGTERM');
    reader.resume();
    await reader.endsAs('SIGTERM', ['STARTED', 'RUNNING', stopped('SIGTERM'), 'STATE', 'INCOMPLETE']);
  });
});

test.each<['check' | 'discover', NodeJS.Signals]>([
  ['check', 'SIGTERM'],
  ['discover', 'SIGINT'],
])('a %s that is told to stop gives no verdict', async (command, signal) => {
  const api = await useRowApi(10, 10, { assets: stall });
  const reader = await start(command, { config: api.config }, {});
  await api.takenOver;
  reader.process.kill(signal);
  await reader.endsAs(signal, [stopped(signal)]);
});

test('a second signal ends it at once, even if nobody takes what is still to be written', async () => {
  const api = await useRowApi(...WIDE, {});
  const reader = await start('read', { config: api.config }, {});
  const exited = once(reader.process, 'exit');
  await reader.until('"RECORD"');
  reader.pause();
  reader.process.kill('SIGTERM');
  // nothing shows when the first one has been taken in, so the second one is sent until the process ends
  const again = setInterval(() => reader.process.kill('SIGINT'), 100);
  const ended = await exited;
  clearInterval(again);
  // two that are pending together may come in either order
  expect([
    [null, 'SIGINT'],
    [null, 'SIGTERM'],
  ]).toContainEqual(ended);
});
