import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { systemClock as clock } from './clock.ts';
import { transientError } from './errors.ts';
import { exitCodeOf } from './process-end.ts';
import { createRedactor } from './protocol/redactor.ts';
import { createWriter } from './protocol/writer.ts';
import { standardError } from './standard-streams.ts';

test.each([
  ['ends well', null, 0, ''],
  ['succeeds although it was aborted', 'stop', 1, '"message":"stop"'],
])('a command that %s', async (_, reason, code, message) => {
  const stdout = new PassThrough();
  const signal =
    reason === null
      ? new AbortController().signal
      : AbortSignal.abort(transientError('ABORTED', reason, null));
  const told = { writer: createWriter(stdout, createRedactor()), stderr: standardError(), clock, signal };
  expect(await exitCodeOf(async () => 0, told)).toBe(code);
  stdout.end();
  const output = await text(stdout);
  if (message === '') expect(output).toBe('');
  else expect(output).toContain(message);
});

test.each([
  [
    'the disk is full',
    'ENOSPC',
    'stdout cannot be written: ENOSPC: no space left. The output is incomplete.\n',
  ],
  ['the reader is gone', 'EPIPE', ''],
])('if %s, the exit code is 1, and a line on stderr says what only it can say', async (_, code, line) => {
  const noise: string[] = [];
  const stderr = { ...standardError(), write: (words: string) => void noise.push(words) };
  for (const command of ['succeeds', 'fails']) {
    const stdout = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error(`${code}: no space left`), { code })),
    });
    const writer = createWriter(stdout, createRedactor());
    const run = async (): Promise<number> => {
      if (command === 'fails') throw new Error('for another reason');
      await writer.info('words');
      return 0;
    };
    expect(await exitCodeOf(run, { writer, stderr, clock, signal: writer.closed })).toBe(1);
  }
  expect(noise).toStrictEqual(line === '' ? [] : [line, line]);
});
