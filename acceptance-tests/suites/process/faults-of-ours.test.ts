import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { TraceError } from '../../../src/generated/protocol.generated.ts';
import { parseMessage } from '../conformance/validate-output.ts';
import { start, startAs, useRowApi } from './process-rig.ts';
import type { Ended } from './process-rig.ts';

function loading(file: string): { readonly NODE_OPTIONS: string } {
  return { NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, file)).href}` };
}

function errorsOf({ messages }: Ended): TraceError[] {
  return messages.flatMap((message) =>
    message.type === 'TRACE' && message.trace.type === 'ERROR' ? [message.trace.error] : [],
  );
}

const WORDS = 'an unexpected failure inside the connector; please report it.';

describe.each([
  ['an exception', 'a canary that nobody catches'],
  ['a rejection', 'a canary that nobody handles'],
])('%s', (what, words) => {
  const env = { ...loading('crash-on-signal.mjs'), CRASH: what.slice(what.indexOf(' ') + 1) };

  test('behind a full pipe: all lines whole, its TRACE ERROR, the last state, INCOMPLETE, exit code 1', async () => {
    const api = await useRowApi(5000, 10_000, {});
    const reader = await start('read', { config: api.config }, env);
    await reader.until('"RECORD"');
    reader.pause();
    reader.process.kill('SIGUSR2');
    reader.resume();
    const ended = await reader.endsAs(1, [
      'STARTED',
      'RUNNING',
      `system_error: assets: ${WORDS}`,
      'STATE',
      'INCOMPLETE',
    ]);
    expect(errorsOf(ended)).toMatchObject([
      {
        internal_message: words,
        stack_trace: expect.stringContaining('crash-on-signal.mjs'),
        stream_descriptor: { name: 'assets' },
      },
    ]);
  });

  test.each(['check', 'discover'] as const)('in a %s, which then gives no verdict', async (command) => {
    const api = await useRowApi(5000, 10, { assets: () => true });
    const reader = await start(command, { config: api.config }, env);
    await api.takenOver;
    reader.process.kill('SIGUSR2');
    const ended = await reader.endsAs(1, [`system_error: ${WORDS}`]);
    expect(errorsOf(ended)).toMatchObject([{ internal_message: words }]);
  });
});

const STANDSTILL = {
  failure_type: 'system_error',
  internal_message: 'nothing is left to wait for, and the command has not ended',
};

test.each(['check', 'discover', 'read'] as const)(
  'a %s that waits for nothing any more says so, and does not pass for a success',
  async (command) => {
    const api = await useRowApi(10, 10, {});
    const env = { ...loading('stand-still.mjs'), STANDS: 'file' };
    const started = await startAs(command, { config: api.config }, { env });
    const [stdout, { code, signal, stderr }] = await Promise.all([text(started.stdout), started.exit]);
    expect([code, signal, stderr]).toStrictEqual([1, null, '']);
    // a stream has not ended either, so the last line is looked at for itself
    expect(parseMessage(stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      trace: { error: STANDSTILL },
    });
  },
);

test('a read whose requests stand still ends its streams, and says why', async () => {
  const api = await useRowApi(10, 10, {});
  const env = { ...loading('stand-still.mjs'), STANDS: 'request' };
  const reader = await start('read', { config: api.config }, env);
  const ended = await reader.endsAs(1, ['STARTED', `system_error: assets: ${WORDS}`, 'INCOMPLETE']);
  expect(errorsOf(ended)).toMatchObject([STANDSTILL]);
});

test("Node's own warnings are log lines", async () => {
  const api = await useRowApi(5000, 100, { assets: (before) => before > 2 });
  const env = { ...loading('crash-on-signal.mjs'), CRASH: 'warning' };
  const reader = await start('read', { config: api.config }, env);
  await api.takenOver;
  reader.process.kill('SIGUSR2');
  await reader.until('"Node.js: a canary"');
  reader.process.kill('SIGTERM');
  const { stderr, messages } = await reader.ended();
  expect(stderr).toBe('');
  expect(messages).toContainEqual({ type: 'LOG', log: { level: 'WARN', message: 'Node.js: a canary' } });
});
