import { describe, expect, test } from 'vitest';
import type { AirbyteMessage, StreamStatus } from '../../src/generated/protocol.generated.ts';
import { createOutputValidator, validateLines } from './validate-output.ts';

const now = 1_767_225_600_000;
const alarms = { name: 'alarms' };

const log: AirbyteMessage = { type: 'LOG', log: { level: 'INFO', message: 'hello' } };
const spec: AirbyteMessage = { type: 'SPEC', spec: { connectionSpecification: {} } };
const refused: AirbyteMessage = { type: 'CONNECTION_STATUS', connectionStatus: { status: 'FAILED' } };
const failure: AirbyteMessage = {
  type: 'TRACE',
  trace: { type: 'ERROR', emitted_at: now, error: { message: 'no', failure_type: 'transient_error' } },
};

function status(value: StreamStatus, name = 'alarms'): AirbyteMessage {
  const stream_status = { stream_descriptor: { name }, status: value };
  return { type: 'TRACE', trace: { type: 'STREAM_STATUS', emitted_at: now, stream_status } };
}

function row(stream = 'alarms'): AirbyteMessage {
  return { type: 'RECORD', record: { stream, data: { a: 1 }, emitted_at: now } };
}

function state(recordCount: number): AirbyteMessage {
  const stream = { stream_descriptor: alarms, stream_state: {} };
  return { type: 'STATE', state: { type: 'STREAM', stream, sourceStats: { recordCount } } };
}

function estimate(name: string): AirbyteMessage {
  return { type: 'TRACE', trace: { type: 'ESTIMATE', emitted_at: now, estimate: { name, type: 'STREAM' } } };
}

const started = status('STARTED');
const running = status('RUNNING');
const complete = status('COMPLETE');
const incomplete = status('INCOMPLETE');
const goodRead = [started, running, row(), row(), state(2), row(), state(1), complete];

const output = (messages: readonly AirbyteMessage[]): string =>
  messages.map((message) => `${JSON.stringify(message)}\n`).join('');

describe('a good output is accepted, message by message', () => {
  test.each<[string, AirbyteMessage[]]>([
    ['a read', goodRead],
    ['a stream without rows', [started, running, state(0), complete]],
    [
      'an estimate before and after RUNNING',
      [started, estimate('alarms'), running, estimate('alarms'), state(0), complete],
    ],
    ['RUNNING again', [started, running, row(), running, state(1), complete]],
    ['a stream that fails before its first page', [started, failure, incomplete]],
    ['a stream that fails with rows that no state covers', [started, running, row(), failure, incomplete]],
    ['two streams side by side', [status('STARTED', 'assets'), ...goodRead, status('INCOMPLETE', 'assets')]],
    ['a failure before any stream', [log, failure]],
    ['an answer among logs', [log, spec, log]],
  ])('%s', (_, messages) => {
    expect(validateLines(output(messages))).toStrictEqual(messages);
    expect(validateLines(Buffer.from(output(messages)))).toStrictEqual(messages);
  });
});

describe('the order of a stream', () => {
  test.each<[string, AirbyteMessage[], string]>([
    ['a row before STARTED', [row()], 'RECORD, but the stream has not STARTED'],
    ['a row before RUNNING', [started, row()], 'RECORD, but the stream is not RUNNING yet'],
    ['a row after the end', [...goodRead, row()], 'RECORD, but the stream has ended'],
    [
      'a row of a stream that did not start',
      [started, running, row('assets')],
      'RECORD, but the stream has not',
    ],
    ['a state before STARTED', [state(0)], 'STATE, but the stream has not STARTED'],
    ['a state before RUNNING', [started, state(0)], 'STATE, but the stream is not RUNNING yet'],
    ['a state after the end', [...goodRead, state(0)], 'STATE, but the stream has ended'],
    ['STARTED twice', [started, started], 'STARTED, but the stream has started already'],
    ['STARTED after the end', [...goodRead, started], 'STARTED, but the stream has ended already'],
    ['RUNNING without STARTED', [running], 'RUNNING, but the stream has not STARTED'],
    ['RUNNING after the end', [...goodRead, running], 'RUNNING, but the stream has ended'],
    ['COMPLETE without RUNNING', [started, complete], 'COMPLETE, but the stream is not RUNNING yet'],
    ['COMPLETE without a state', [started, running, complete], 'COMPLETE, but the stream has no STATE'],
    [
      'COMPLETE after rows without a state',
      [started, running, state(0), row(), complete],
      'the last rows of the stream (1)',
    ],
    ['INCOMPLETE without STARTED', [incomplete], 'INCOMPLETE, but the stream has not STARTED'],
    ['a second end', [...goodRead, incomplete], 'INCOMPLETE, but the stream has ended'],
    ['an estimate before STARTED', [estimate('alarms')], 'ESTIMATE, but the stream has not STARTED'],
    ['an estimate after the end', [...goodRead, estimate('alarms')], 'ESTIMATE, but the stream has ended'],
    ['a count too high', [started, running, row(), state(2)], 'recordCount is 2, but 1 rows came'],
    ['a count too low', [started, running, row(), state(0)], 'recordCount is 0, but 1 rows came'],
    [
      'a count over all rows',
      [started, running, row(), state(1), row(), state(2)],
      'recordCount is 2, but 1 rows',
    ],
    ['no end', goodRead.slice(0, -1), 'neither COMPLETE nor INCOMPLETE: "alarms"'],
  ])('%s is caught', (_, messages, reason) => {
    expect(() => validateLines(output(messages))).toThrow(reason);
  });

  test.each(goodRead.map((message, index) => [JSON.stringify(message), index] as const))(
    'a read that lacks %s is caught',
    (_, index) => {
      expect(() => validateLines(output(goodRead.toSpliced(index, 1)))).toThrow();
    },
  );

  test('streams of one name in two namespaces are two streams', () => {
    const inNamespace: AirbyteMessage = {
      type: 'RECORD',
      record: { stream: 'alarms', namespace: 'fleet', data: { a: 1 }, emitted_at: now },
    };
    expect(() => validateLines(output([started, running, inNamespace]))).toThrow('has not STARTED');
  });
});

describe('the kind of an output', () => {
  test.each<[string, AirbyteMessage[], string]>([
    ['two answers', [spec, refused], 'CONNECTION_STATUS is a second answer'],
    ['an answer in a read', [...goodRead, spec], 'SPEC in the output of a read'],
    ['a stream after an answer', [refused, started], 'STREAM_STATUS after the answer'],
    ['a row after an answer', [spec, row()], 'RECORD after the answer'],
  ])('%s is caught', (_, messages, reason) => {
    expect(() => validateLines(output(messages))).toThrow(reason);
  });
});

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
    expect(validateLines(`${escaped}\n`)).toStrictEqual([
      { type: 'LOG', log: { level: 'INFO', message: '\r\n\u0085\u2028\u2029\f' } },
    ]);
  });

  test('bytes that are not UTF-8 are caught', () => {
    const stdout = Buffer.from(`${text.replace('hello', '\u00FF')}\n`, 'latin1');
    expect(() => validateLines(stdout)).toThrow('line 1: is not valid UTF-8');
  });
});

test('a million lines are judged one by one without being kept', () => {
  const rowsPerState = 1000;
  const validator = createOutputValidator();
  const line = JSON.stringify(row());
  const bookmark = JSON.stringify(state(rowsPerState));
  validator.line(JSON.stringify(started));
  validator.line(JSON.stringify(running));
  for (let page = 0; page < 1000; page += 1) {
    for (let index = 0; index < rowsPerState; index += 1) validator.line(line);
    validator.line(bookmark);
  }
  expect(() => validator.line(JSON.stringify(state(1)))).toThrow(
    'line 1001003: recordCount is 1, but 0 rows',
  );
  expect(validator.line(JSON.stringify(complete))).toStrictEqual(complete);
  validator.end();
});
