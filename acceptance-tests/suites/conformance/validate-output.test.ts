import { describe, expect, test } from 'vitest';
import type { AirbyteMessage } from '../../../src/generated/protocol.generated.ts';
import { createOutputValidator, validateLines } from './validate-output.ts';

const emitted_at = 1_767_225_600_000;
const log: AirbyteMessage = { type: 'LOG', log: { level: 'INFO', message: 'hello' } };

/**
 * The message that a word stands for: a status, LOG, SPEC, CONNECTION_STATUS, ERROR, RECORD, ESTIMATE, or STATE with its count
 * (`STATE:2`); of alarms, unless it says something else (`RECORD@assets`).
 */
function messageOf(word: string): AirbyteMessage {
  const [, kind = '', count, name = 'alarms'] = /^(\w+)(?::(\d+))?(?:@(\w+))?$/.exec(word) ?? [];
  if (kind === 'LOG') return log;
  if (kind === 'SPEC') return { type: kind, spec: { connectionSpecification: {} } };
  if (kind === 'CONNECTION_STATUS') return { type: kind, connectionStatus: { status: 'FAILED' } };
  if (kind === 'RECORD') return { type: kind, record: { stream: name, data: { a: 1 }, emitted_at } };
  const stream_descriptor = { name };
  if (kind === 'STATE') {
    const stream = { stream_descriptor, stream_state: {} };
    return { type: kind, state: { type: 'STREAM', stream, sourceStats: { recordCount: Number(count) } } };
  }
  if (kind === 'ERROR') {
    const error = { message: 'no', failure_type: 'transient_error' } as const;
    return { type: 'TRACE', trace: { type: kind, emitted_at, error } };
  }
  if (kind === 'ESTIMATE')
    return { type: 'TRACE', trace: { type: kind, emitted_at, estimate: { name, type: 'STREAM' } } };
  const status = kind as 'STARTED' | 'RUNNING' | 'COMPLETE' | 'INCOMPLETE';
  return {
    type: 'TRACE',
    trace: { type: 'STREAM_STATUS', emitted_at, stream_status: { stream_descriptor, status } },
  };
}

const messagesOf = (words: string): AirbyteMessage[] => words.split(' ').map(messageOf);
const output = (words: string): string =>
  messagesOf(words)
    .map((message) => `${JSON.stringify(message)}\n`)
    .join('');

const GOOD = 'STARTED RUNNING RECORD RECORD STATE:2 RECORD STATE:1 COMPLETE';

test.each([
  ['a read', GOOD],
  ['a stream without rows', 'STARTED RUNNING STATE:0 COMPLETE'],
  ['an estimate before and after RUNNING', 'STARTED ESTIMATE RUNNING ESTIMATE STATE:0 COMPLETE'],
  ['RUNNING again', 'STARTED RUNNING RECORD RUNNING STATE:1 COMPLETE'],
  ['a stream that fails before its first page', 'STARTED ERROR INCOMPLETE'],
  ['a stream that fails with rows that no state covers', 'STARTED RUNNING RECORD ERROR INCOMPLETE'],
  ['two streams side by side', `STARTED@assets ${GOOD} INCOMPLETE@assets`],
  ['a failure before any stream', 'LOG ERROR'],
  ['an answer among logs', 'LOG SPEC LOG'],
])('a good output is accepted, message by message: %s', (_, words) => {
  expect(validateLines(output(words))).toStrictEqual(messagesOf(words));
  expect(validateLines(Buffer.from(output(words)))).toStrictEqual(messagesOf(words));
});

test.each([
  ['RECORD', 'RECORD, but the stream has not STARTED'],
  ['STARTED RECORD', 'RECORD, but the stream is not RUNNING yet'],
  [`${GOOD} RECORD`, 'RECORD, but the stream has ended'],
  ['STARTED RUNNING RECORD@assets', 'RECORD, but the stream has not'],
  ['STATE:0', 'STATE, but the stream has not STARTED'],
  ['STARTED STATE:0', 'STATE, but the stream is not RUNNING yet'],
  [`${GOOD} STATE:0`, 'STATE, but the stream has ended'],
  ['STARTED STARTED', 'STARTED, but the stream has started already'],
  [`${GOOD} STARTED`, 'STARTED, but the stream has ended already'],
  ['RUNNING', 'RUNNING, but the stream has not STARTED'],
  [`${GOOD} RUNNING`, 'RUNNING, but the stream has ended'],
  ['STARTED COMPLETE', 'COMPLETE, but the stream is not RUNNING yet'],
  ['STARTED RUNNING COMPLETE', 'COMPLETE, but the stream has no STATE'],
  ['STARTED RUNNING STATE:0 RECORD COMPLETE', 'the last rows of the stream (1)'],
  ['INCOMPLETE', 'INCOMPLETE, but the stream has not STARTED'],
  [`${GOOD} INCOMPLETE`, 'INCOMPLETE, but the stream has ended'],
  ['ESTIMATE', 'ESTIMATE, but the stream has not STARTED'],
  [`${GOOD} ESTIMATE`, 'ESTIMATE, but the stream has ended'],
  ['STARTED RUNNING RECORD STATE:2', 'recordCount is 2, but 1 rows came'],
  ['STARTED RUNNING RECORD STATE:0', 'recordCount is 0, but 1 rows came'],
  ['STARTED RUNNING RECORD STATE:1 RECORD STATE:2', 'recordCount is 2, but 1 rows'],
  [GOOD.replace(' COMPLETE', ''), 'neither COMPLETE nor INCOMPLETE: alarms'],
  ['SPEC CONNECTION_STATUS', 'CONNECTION_STATUS is a second answer'],
  [`${GOOD} SPEC`, 'SPEC in the output of a read'],
  ['CONNECTION_STATUS STARTED', 'STREAM_STATUS after the answer'],
  ['SPEC RECORD', 'RECORD after the answer'],
])('what is out of order is caught: %s', (words, reason) => {
  expect(() => validateLines(output(words))).toThrow(reason);
});

test.each(GOOD.split(' ').map((word, index) => [word, index] as const))(
  'a read that lacks %s at %i is caught',
  (_, index) => {
    expect(() => validateLines(output(GOOD.split(' ').toSpliced(index, 1).join(' ')))).toThrow();
  },
);

describe('the lines', () => {
  const text = JSON.stringify(log);

  test('one that is no message is named by its number, its text and each fault', () => {
    const bad = '{"type":"LOG","log":{"level":"LOUD","mesage":"x"}}';
    expect(() => validateLines(`${text}\n${bad}\n`)).toThrow(
      /^line 2: (?=.*"missingProperty":"message")(?=.*"additionalProperty":"mesage")(?=.*\/log\/level).*\n\{"type":"LOG"/,
    );
  });

  test('a long one is cut in the message', () => {
    const bad = `{"type":"${'x'.repeat(1000)}"}`;
    expect(() => validateLines(`${bad}\n`)).toThrow(new RegExp(`\\n\\{"type":"x{291}…$`));
  });

  test.each([
    ['a missing newline at the end', text, 'the last byte is not a newline'],
    ['a missing newline after other lines', `${text}\n${text}`, 'the last byte is not a newline'],
    ['an empty output', '', 'the output is empty'],
    ['an empty line', `${text}\n\n${text}\n`, /^line 2: /],
    ['a line that is no JSON', 'Warning: something\n', /^line 1: .*JSON/],
    ['two messages in one line', `${text}${text}\n`, /^line 1: .*JSON/],
    ['a message over two lines', `${text.replace(',', ',\n')}\n`, /^line 1: .*JSON/],
    ['a byte order mark', `\uFEFF${text}\n`, /^line 1: .*JSON/],
    ['a carriage return', `${text}\r\n`, 'holds a raw U+000D'],
    ['a raw U+0085', `${text.replace('hello', 'a\u0085b')}\n`, 'holds a raw U+0085'],
    ['a raw U+2028', `${text.replace('hello', 'a\u2028b')}\n`, 'holds a raw U+2028'],
    ['a raw U+2029', `${text.replace('hello', 'a\u2029b')}\n`, 'holds a raw U+2029'],
    ['a raw form feed', `${text.replace('hello', 'a\fb')}\n`, /^line 1: .*control character/],
    ['a raw file separator', `${text}\u001C\n`, /^line 1: .*JSON/],
  ])('%s is caught', (_, stdout, reason) => {
    expect(() => validateLines(stdout)).toThrow(reason);
  });

  test('escaped line separators are accepted', () => {
    const escaped = text.replace('hello', String.raw`\r\n\u0085\u2028\u2029\f`);
    const message = '\r\n\u0085\u2028\u2029\f';
    expect(validateLines(`${escaped}\n`)).toStrictEqual([{ type: 'LOG', log: { level: 'INFO', message } }]);
  });

  test('bytes that are not UTF-8 are caught', () => {
    const stdout = Buffer.from(`${text.replace('hello', '\u00FF')}\n`, 'latin1');
    expect(() => validateLines(stdout)).toThrow('line 1: is not valid UTF-8');
  });
});

test('a million lines are judged one by one without being kept', () => {
  const validator = createOutputValidator();
  const [started = '', running = '', row = '', bookmark = '', wrong = '', complete = ''] = output(
    'STARTED RUNNING RECORD STATE:1000 STATE:1 COMPLETE',
  ).split('\n');
  validator.line(started);
  validator.line(running);
  for (let page = 0; page < 1000; page += 1) {
    for (let index = 0; index < 1000; index += 1) validator.line(row);
    validator.line(bookmark);
  }
  expect(() => validator.line(wrong)).toThrow('line 1001003: recordCount is 1, but 0 rows');
  expect(validator.line(complete)).toStrictEqual(messageOf('COMPLETE'));
  validator.end();
});
