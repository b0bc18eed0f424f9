import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { systemClock as clock } from './clock.ts';
import { transientError } from './errors.ts';
import { exitCodeOf } from './process-end.ts';
import { createRedactor } from './protocol/redactor.ts';
import { createWriter } from './protocol/writer.ts';

test.each([
  ['ends well', null, 0, ''],
  ['succeeds although it was aborted', 'stop', 1, '"message":"stop"'],
])('a command that %s', async (_, reason, code, message) => {
  const stdout = new PassThrough();
  const signal =
    reason === null
      ? new AbortController().signal
      : AbortSignal.abort(transientError('ABORTED', reason, null));
  const told = { writer: createWriter(stdout, createRedactor()), clock, signal };
  expect(await exitCodeOf(async () => 0, told)).toBe(code);
  stdout.end();
  const output = await text(stdout);
  if (message === '') expect(output).toBe('');
  else expect(output).toContain(message);
});
