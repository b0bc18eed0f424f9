import { expect, test } from 'vitest';
import { parseMessage } from '../conformance/validate-output.ts';
import { errors } from '../../support/run-views.ts';
import { start, useRowApi } from './process-fixture.ts';

function misbehaving(how: string): { readonly env: Readonly<Record<string, string>> } {
  const preload = new URL('misbehave.mjs', import.meta.url).href;
  return { env: { NODE_OPTIONS: `--import ${preload}`, MISBEHAVE: how } };
}

const WORDS = 'an unexpected failure inside the connector; please report it.';
const FAULT = {
  internal_message: 'a canary',
  stack_trace: expect.stringContaining('misbehave.mjs') as unknown,
};
const STANDSTILL = {
  failure_type: 'system_error',
  internal_message: 'nothing is left to wait for, and the command has not ended',
};

test.each([
  ['a rejection', 'read'],
  ['an exception', 'check'],
  ['an exception', 'read'],
  ['a rejection', 'discover'],
])('%s that is not handled ends a %s with a TRACE ERROR, also after a full pipe', async (what, command) => {
  const reads = command === 'read';
  const { config, takenOver } = await useRowApi(5000, 10_000, { assets: (before) => !reads || before > 2 });
  const running = await start(command, config, misbehaving(what.split(' ')[1] ?? ''));
  await (reads ? running.until('"RECORD"') : takenOver);
  running.stdout.pause();
  running.process.kill('SIGUSR2');
  running.stdout.resume();
  const ofStream = ['STARTED', 'RUNNING', `system_error: assets: ${WORDS}`, 'STATE', 'INCOMPLETE'];
  const ended = await running.endsAs(1, reads ? ofStream : [`system_error: ${WORDS}`]);
  expect(errors(ended)).toMatchObject([reads ? { ...FAULT, stream_descriptor: { name: 'assets' } } : FAULT]);
});

test.each(['read', 'check'])('a %s with nothing left to wait for fails and says so', async (command) => {
  const { config } = await useRowApi(10, 10, {});
  const { exit, output } = await start(command, config, misbehaving('no file'));
  expect(await exit).toStrictEqual({ code: 1, signal: null, stderr: '' });
  // only the last line, because a stream has not ended either
  const last = output().toString().trimEnd().split('\n').at(-1) ?? '';
  expect(parseMessage(last)).toMatchObject({ trace: { error: STANDSTILL } });
});

test('a read whose requests make no progress ends its streams and says why', async () => {
  const { config } = await useRowApi(10, 10, {});
  const { endsAs } = await start('read', config, misbehaving('no connection'));
  const ended = await endsAs(1, ['STARTED', `system_error: assets: ${WORDS}`, 'INCOMPLETE']);
  expect(errors(ended)).toMatchObject([STANDSTILL]);
});

test('warnings of Node.js are log lines, and stderr stays empty', async () => {
  const { config, takenOver } = await useRowApi(5000, 100, { assets: (before) => before > 2 });
  const running = await start('read', config, misbehaving('warning'));
  await takenOver;
  running.process.kill('SIGUSR2');
  await running.until('"Node.js: a canary"');
  running.process.kill('SIGTERM');
  const { stderr, messages } = await running.ended();
  expect(stderr).toBe('');
  expect(messages).toContainEqual({ type: 'LOG', log: { level: 'WARN', message: 'Node.js: a canary' } });
});
