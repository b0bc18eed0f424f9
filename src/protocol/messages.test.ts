import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { configError, transientError } from '../errors.ts';
import {
  configMessage,
  errorMessage,
  estimateMessage,
  counted,
  grouped,
  logMessage,
  rateLimitedMessage,
  stateMessage,
  statusMessage,
} from './messages.ts';

const NOW = 1_700_000_000_000;
const trace = (content: object): object => ({ type: 'TRACE', trace: { ...content, emitted_at: NOW } });

const FAULT = new TypeError('x is not a function');

test.each<[what: string, error: unknown, stream: string | null, expected: object]>([
  [
    'a known failure keeps its message, type and stream, and has no stack',
    configError('FORBIDDEN', 'assets: no permission.'),
    'assets',
    {
      message: 'assets: no permission.',
      internal_message: 'FORBIDDEN',
      failure_type: 'config_error',
      stream_descriptor: { name: 'assets' },
    },
  ],
  [
    'the cause of a known failure is in the internal message',
    transientError('API_UNAVAILABLE', 'No answer.', new Error('ECONNRESET: aborted')),
    null,
    {
      message: 'No answer.',
      internal_message: 'API_UNAVAILABLE: ECONNRESET: aborted',
      failure_type: 'transient_error',
    },
  ],
  [
    'anything else is an internal error, with its stack',
    FAULT,
    'alarms',
    {
      message: 'alarms: an unexpected failure inside the connector; please report it.',
      internal_message: 'x is not a function',
      failure_type: 'system_error',
      stack_trace: FAULT.stack,
      stream_descriptor: { name: 'alarms' },
    },
  ],
  [
    'a text that was thrown has no stack',
    'only a text',
    null,
    {
      message: 'an unexpected failure inside the connector; please report it.',
      internal_message: 'only a text',
      failure_type: 'system_error',
    },
  ],
])('%s', (_, error, name, expected) => {
  expect(errorMessage(error, name, NOW)).toStrictEqual(trace({ type: 'ERROR', error: expected }));
});

const stream = { stream_descriptor: { name: 'assets' } };

test.each<[message: object, expected: object]>([
  [logMessage('WARN', 'careful'), { type: 'LOG', log: { level: 'WARN', message: 'careful' } }],
  [
    stateMessage('assets', { offset: 5 }, 7),
    {
      type: 'STATE',
      state: {
        type: 'STREAM',
        stream: { ...stream, stream_state: { offset: 5 } },
        sourceStats: { recordCount: 7 },
      },
    },
  ],
  [
    statusMessage('assets', 'COMPLETE', NOW),
    trace({ type: 'STREAM_STATUS', stream_status: { ...stream, status: 'COMPLETE' } }),
  ],
  [
    rateLimitedMessage('assets', NOW + 5, NOW),
    trace({
      type: 'STREAM_STATUS',
      stream_status: {
        ...stream,
        status: 'RUNNING',
        reasons: [{ type: 'RATE_LIMITED', rate_limited: { quota_reset: NOW + 5 } }],
      },
    }),
  ],
  [
    estimateMessage('assets', 12, NOW),
    trace({ type: 'ESTIMATE', estimate: { name: 'assets', type: 'STREAM', row_estimate: 12 } }),
  ],
  [
    configMessage({ token_cache: 'x' }, NOW),
    {
      type: 'CONTROL',
      control: {
        type: 'CONNECTOR_CONFIG',
        emitted_at: NOW,
        connectorConfig: { config: { token_cache: 'x' } },
      },
    },
  ],
])('%j', (message, expected) => {
  expect(message).toStrictEqual(expected);
});

test('integers are grouped as in English', () => {
  const count = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -10_000, max: 10_000 }));
  fc.assert(fc.property(count, (value) => grouped(value) === value.toLocaleString('en-US')));
});

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [1_234_567, '1,234,567'],
  [-1000, '-1,000'],
  // whatever a server says
  [1234.56789, '1234.56789'],
  [1e300, '1e+300'],
  [Number.NaN, 'NaN'],
])('%d becomes %s', (value, text) => {
  expect(grouped(value)).toBe(text);
});

test('a count is followed by its noun', () => {
  expect([0, 1, 2000].map((count) => counted(count, 'retry', 'retries'))).toStrictEqual([
    '0 retries',
    '1 retry',
    '2,000 retries',
  ]);
});
