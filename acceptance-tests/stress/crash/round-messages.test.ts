import { expect, test } from 'vitest';
import { messagesOf } from './round-messages.ts';

const stream = { name: 'assets' };
const status = (word: string): string =>
  JSON.stringify({
    type: 'TRACE',
    trace: {
      type: 'STREAM_STATUS',
      emitted_at: 1_600_000_000_000,
      stream_status: { stream_descriptor: stream, status: word },
    },
  });
const state = JSON.stringify({
  type: 'STATE',
  state: {
    type: 'STREAM',
    stream: { stream_descriptor: stream, stream_state: { offset: 1 } },
    sourceStats: { recordCount: 1 },
  },
});
const record = JSON.stringify({
  type: 'RECORD',
  record: { stream: 'assets', emitted_at: 1_600_000_000_000, data: { a: 1 } },
});
const head = `${status('STARTED')}\n${status('RUNNING')}\n`;

function typesOf(output: string, ended: boolean): string[] {
  return messagesOf(Buffer.from(output), ended).map(({ message }) => message.type);
}

test('a cut line tells nothing', () => {
  expect(typesOf(`${head}${record}\n${state.slice(0, -1)}`, false)).toStrictEqual([
    'TRACE',
    'TRACE',
    'RECORD',
  ]);
});

test('of lines that lack only their newline, a STATE counts and a RECORD does not', () => {
  expect(typesOf(`${head}${record}\n${state}`, false)).toStrictEqual(['TRACE', 'TRACE', 'RECORD', 'STATE']);
  expect(typesOf(`${head}${record}`, false)).toStrictEqual(['TRACE', 'TRACE']);
});

test('a round that ended by itself must be whole', () => {
  const whole = `${head}${record}\n${state}\n${status('COMPLETE')}`;
  expect(typesOf(`${whole}\n`, true)).toHaveLength(5);
  expect(() => messagesOf(Buffer.from(whole), true)).toThrow('no newline');
  expect(() => messagesOf(Buffer.from(head), true)).toThrow('neither COMPLETE nor INCOMPLETE');
  expect(() => messagesOf(Buffer.from(`${head}${state}\n`), false)).toThrow('recordCount');
});
