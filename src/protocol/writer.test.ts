import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

import { expect, test } from 'vitest';

import type { AirbyteMessage } from '../generated/protocol.generated.ts';
import { isOneLine } from './line-ends.test-support.ts';
import { errorMessage, logMessage, stateMessage } from './messages.ts';
import { createRedactor } from './redactor.ts';
import { createWriter, messageLines } from './writer.ts';

/** A stdout that takes one write at a time, and only when it is told to. */
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

test('one write per call, in the order of the calls, resolved as each has left', async () => {
  const { stdout, writes, next } = heldBack();
  const writer = createWriter(stdout, createRedactor());
  const settled: number[] = [];
  const sent = [
    writer.write(Buffer.from('1\n1\n')).then(() => settled.push(1)),
    writer.send(logMessage('INFO', '2'), logMessage('INFO', '2b')).then(() => settled.push(2)),
    writer.write(Buffer.from('3\n')).then(() => settled.push(3)),
  ];
  const lines = ['2', '2b'].map((message) => `${JSON.stringify(logMessage('INFO', message))}\n`);
  expect(writes).toStrictEqual(['1\n1\n']);
  for (const count of [1, 2, 3]) {
    expect(settled).toHaveLength(count - 1);
    next();
    await sent[count - 1];
  }
  expect(settled).toStrictEqual([1, 2, 3]);
  expect(writes).toStrictEqual(['1\n1\n', lines.join(''), '3\n']);
});

test('a reader that goes away aborts `gone` before anybody who waits is told, once and for all', async () => {
  const stdout = new Writable({
    write: (_chunk, _encoding, done) => {
      done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    },
  });
  const writer = createWriter(stdout, createRedactor());
  expect(writer.gone.aborted).toBe(false);
  const errors = await Promise.all(
    ['1', '2'].map((line) =>
      writer.write(Buffer.from(line)).then(
        () => null,
        (error: unknown) => [error, writer.gone.aborted],
      ),
    ),
  );
  expect(errors).toStrictEqual([
    [writer.gone.reason, true],
    [writer.gone.reason, true],
  ]);
  await expect(writer.send(logMessage('INFO', 'late'))).rejects.toBe(writer.gone.reason);
  expect(writer.gone.reason).toStrictEqual(new Error('the reader of stdout went away'));
});

test('an error of stdout between two writes aborts `gone` as well', async () => {
  const stdout = new PassThrough();
  const writer = createWriter(stdout, createRedactor());
  const aborted = once(writer.gone, 'abort');
  stdout.destroy(new Error('write EPIPE'));
  await aborted;
  await expect(writer.write(Buffer.from('x'))).rejects.toBe(writer.gone.reason);
});

test('each message is one line for every splitter of lines, and stays equal', () => {
  const words = 'a\u2028b\u2029c\u0085d\ne\rf\u001cg\vh\\u2028';
  const messages: AirbyteMessage[] = [
    logMessage('INFO', words),
    stateMessage(words, { [words]: words }, 1),
    errorMessage(new Error(words), words, 1_700_000_000_000),
  ];
  const output = messageLines(messages, createRedactor()).toString();
  expect(output.endsWith('\n')).toBe(true);
  const lines = output.slice(0, -1).split('\n');
  expect(lines.every(isOneLine)).toBe(true);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toStrictEqual(messages);
});

test('secrets are masked in free text and nowhere else', () => {
  const redactor = createRedactor();
  redactor.hide('canary');
  const lines = (message: AirbyteMessage): string => messageLines([message], redactor).toString();
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

function url(file: string): string {
  return JSON.stringify(new URL(file, import.meta.url).href);
}

/** A child process that writes to its stdout through a writer. */
function child(body: string): ChildProcessByStdio<null, Readable, Readable> {
  const code = `
    import { createWriter } from ${url('./writer.ts')};
    import { createRedactor } from ${url('./redactor.ts')};
    const writer = createWriter(process.stdout, createRedactor());
    ${body}`;
  return spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

test('everything arrives at a reader that sleeps, the last line included', async () => {
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
}, 20_000);

test('a reader that closes ends the writing without a word on stderr', async () => {
  const writing = child(`
    process.exitCode = 5;
    try {
      for (;;) await writer.write(Buffer.from('x'.repeat(100_000) + '\\n'));
    } catch (error) {
      if (writer.gone.aborted && error === writer.gone.reason) process.exitCode = 4;
    }`);
  const exited = once(writing, 'exit');
  const noise = text(writing.stderr);
  await once(writing.stdout, 'data');
  writing.stdout.destroy();
  expect(await exited).toStrictEqual([4, null]);
  expect(await noise).toBe('');
}, 20_000);
