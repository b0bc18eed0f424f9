import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, Writable, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { AirbyteMessage } from '../generated/protocol.generated.ts';
import { programOf } from '../own-process.test-support.ts';
import { isOneLine } from './line-ends.test-support.ts';
import { errorMessage, logMessage, stateMessage } from './messages.ts';
import { createRedactor } from './redactor.ts';
import { UnwritableError, createWriter, messageLine } from './writer.ts';

/** A stdout that accepts one write for each call of `next`. */
function heldBack(): { stdout: Writable; writes: string[]; next: () => void } {
  const writes: string[] = [];
  let release: (() => void) | undefined;
  const stdout = new Writable({
    highWaterMark: 1,
    write: (chunk: Buffer, _, done) => {
      writes.push(chunk.toString());
      release = done;
    },
  });
  return { stdout, writes, next: () => release?.() };
}

test('each call makes one write, in order, and resolves when it has left the process', async () => {
  const { stdout, writes, next } = heldBack();
  const writer = createWriter(stdout, createRedactor());
  const settled: number[] = [];
  const sent = [
    writer.write(Buffer.from('1\n1\n')).then(() => settled.push(1)),
    writer.send(logMessage('INFO', '2')).then(() => settled.push(2)),
    writer.write(Buffer.from('3\n')).then(() => settled.push(3)),
  ];
  expect(writes).toStrictEqual(['1\n1\n']);
  for (const count of [1, 2, 3]) {
    expect(settled).toHaveLength(count - 1);
    next();
    await sent[count - 1];
  }
  expect(settled).toStrictEqual([1, 2, 3]);
  expect(writes).toStrictEqual(['1\n1\n', `${JSON.stringify(logMessage('INFO', '2'))}\n`, '3\n']);
});

test('a failed write aborts `closed` before it rejects, and nothing is written any more', async () => {
  const stdout = new Writable({
    write: (_chunk, _encoding, done) => {
      done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    },
  });
  const writer = createWriter(stdout, createRedactor());
  expect(writer.closed.aborted).toBe(false);
  const errors = await Promise.all(
    ['1', '2'].map((line) =>
      writer.write(Buffer.from(line)).then(
        () => null,
        (error: unknown) => [error, writer.closed.aborted],
      ),
    ),
  );
  expect(errors).toStrictEqual([
    [writer.closed.reason, true],
    [writer.closed.reason, true],
  ]);
  await expect(writer.send(logMessage('INFO', 'late'))).rejects.toBe(writer.closed.reason);
  expect(writer.closed.reason).toStrictEqual(new Error('stdout was closed'));
});

test('an error of stdout between two writes aborts `closed` as well', async () => {
  const stdout = new PassThrough();
  const writer = createWriter(stdout, createRedactor());
  const aborted = once(writer.closed, 'abort');
  stdout.destroy(new Error('ENOSPC: no space left on device, write'));
  await aborted;
  await expect(writer.write(Buffer.from('x'))).rejects.toBe(writer.closed.reason);
  expect(writer.closed.reason).toStrictEqual(new UnwritableError('ENOSPC: no space left on device, write'));
});

test('each message is one line for any line splitter, and is equal when parsed', () => {
  const words = 'a\u2028b\u2029c\u0085d\ne\rf\u001cg\vh\\u2028';
  const messages: AirbyteMessage[] = [
    logMessage('INFO', 'a\nb\tc\\u2028'),
    stateMessage(words, { [words]: words }, 1),
    errorMessage(new Error('a\nb'), 'a', 1_700_000_000_000),
  ];
  const output = messages.map((message) => messageLine(message, createRedactor()).toString()).join('');
  expect(output.endsWith('\n')).toBe(true);
  const lines = output.slice(0, -1).split('\n');
  expect(lines.every(isOneLine)).toBe(true);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toStrictEqual(messages);
});

test('characters that cannot be seen are escaped in free text', () => {
  const { log } = JSON.parse(
    messageLine(logMessage('INFO', 'a\0b\u001b[2J\u009b\u202ec\ufeff\u2028d\r'), createRedactor()).toString(),
  ) as { log: { message: string } };
  expect(log.message).toBe(String.raw`a\u0000b\u001b[2J\u009b\u202ec\ufeff\u2028d\u000d`);
});

test('secrets are masked in free text only', () => {
  const redactor = createRedactor();
  redactor.hide('canary');
  const lines = (message: AirbyteMessage): string => messageLine(message, redactor).toString();
  expect(lines(logMessage('INFO', 'say canary'))).toContain('"message":"say ******"');
  const fault = new Error('internal canary');
  fault.stack = 'stack canary';
  expect(lines(errorMessage(fault, 'assets', 1))).not.toContain('canary');
  expect(
    lines({ type: 'CONNECTION_STATUS', connectionStatus: { status: 'FAILED', message: 'canary' } }),
  ).toContain('"message":"******"');

  // names and states are handed back: changed, they would mean something else
  expect(lines(errorMessage(fault, 'canary', 1))).toContain('{"name":"canary"}');
  const state = stateMessage('canary', { message: 'canary', after: 'canary' }, 1);
  expect(JSON.parse(lines(state))).toStrictEqual(state);
  const control: AirbyteMessage = {
    type: 'CONTROL',
    control: {
      type: 'CONNECTOR_CONFIG',
      emitted_at: 1_700_000_000_000,
      connectorConfig: { config: { client_secret: 'canary', message: 'canary' } },
    },
  };
  expect(JSON.parse(lines(control))).toStrictEqual(control);
});

/** A child process that writes to its stdout through a writer. */
function child(body: string): ChildProcessByStdio<null, Readable, Readable> {
  const code = `
    import { createWriter } from './writer.ts';
    import { createRedactor } from './redactor.ts';
    const writer = createWriter(process.stdout, createRedactor());
    ${body}`;
  return spawn(process.execPath, [programOf(code, import.meta.dirname)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

test('a slow reader receives everything, the last line included', async () => {
  const writing = child(`
    for (let page = 0; page < 40; page++)
      await writer.write(Buffer.from((page + ' ').padEnd(99_999, 'x') + '\\n'));
    await writer.send({ type: 'LOG', log: { level: 'INFO', message: 'last' } });
    process.exitCode = 3;`);
  const exited = once(writing, 'exit');
  const chunks: Buffer[] = [];
  for await (const chunk of writing.stdout as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    // sleeps while the pipe is full: a pipe holds 64 KiB
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
  }
  const lines = Buffer.concat(chunks).toString().split('\n');
  expect(lines.slice(0, 40).map((line) => [line.length, Number.parseInt(line, 10)])).toStrictEqual(
    Array.from({ length: 40 }, (_, page) => [99_999, page]),
  );
  expect(lines.slice(40)).toStrictEqual(['{"type":"LOG","log":{"level":"INFO","message":"last"}}', '']);
  expect(await exited).toStrictEqual([3, null]);
});

test('when the reader closes the pipe, writing ends with nothing on stderr', async () => {
  const writing = child(`
    process.exitCode = 5;
    try {
      for (;;) await writer.write(Buffer.from('x'.repeat(100_000) + '\\n'));
    } catch (error) {
      if (writer.closed.aborted && error === writer.closed.reason) process.exitCode = 4;
    }`);
  const exited = once(writing, 'exit');
  const noise = text(writing.stderr);
  await once(writing.stdout, 'data');
  writing.stdout.destroy();
  expect(await exited).toStrictEqual([4, null]);
  expect(await noise).toBe('');
});
