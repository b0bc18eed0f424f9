import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { configError, transientError } from '../errors.ts';
import {
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

test('a known failure keeps its message, type and stream, and has no stack', () => {
  expect(errorMessage(configError('FORBIDDEN', 'assets: no permission.'), 'assets', NOW)).toStrictEqual({
    type: 'TRACE',
    trace: {
      type: 'ERROR',
      emitted_at: NOW,
      error: {
        message: 'assets: no permission.',
        internal_message: 'FORBIDDEN',
        failure_type: 'config_error',
        stream_descriptor: { name: 'assets' },
      },
    },
  });
});

test('the cause of a known failure is in the internal message', () => {
  const { trace } = errorMessage(
    transientError('API_UNAVAILABLE', 'No answer.', new Error('ECONNRESET: aborted')),
    null,
    NOW,
  );
  expect(trace).toMatchObject({
    error: {
      message: 'No answer.',
      internal_message: 'API_UNAVAILABLE: ECONNRESET: aborted',
      failure_type: 'transient_error',
    },
  });
  expect(trace).not.toHaveProperty('error.stream_descriptor');
});

test('anything else is an internal error, with its stack if it has one', () => {
  const fault = new TypeError('x is not a function');
  expect(errorMessage(fault, 'alarms', NOW).trace).toMatchObject({
    error: {
      message: 'alarms: an unexpected failure inside the connector; please report it.',
      internal_message: 'x is not a function',
      failure_type: 'system_error',
      stack_trace: fault.stack,
    },
  });
  const { trace } = errorMessage('only a text', null, NOW);
  expect(trace).toMatchObject({
    error: {
      message: 'an unexpected failure inside the connector; please report it.',
      internal_message: 'only a text',
    },
  });
  expect(trace).not.toHaveProperty('error.stack_trace');
});

test('the other messages', () => {
  expect(logMessage('WARN', 'careful')).toStrictEqual({
    type: 'LOG',
    log: { level: 'WARN', message: 'careful' },
  });
  expect(stateMessage('assets', { offset: 5 }, 7)).toStrictEqual({
    type: 'STATE',
    state: {
      type: 'STREAM',
      stream: { stream_descriptor: { name: 'assets' }, stream_state: { offset: 5 } },
      sourceStats: { recordCount: 7 },
    },
  });
  expect(statusMessage('assets', 'COMPLETE', NOW)).toStrictEqual({
    type: 'TRACE',
    trace: {
      type: 'STREAM_STATUS',
      emitted_at: NOW,
      stream_status: { stream_descriptor: { name: 'assets' }, status: 'COMPLETE' },
    },
  });
  expect(rateLimitedMessage('assets', NOW + 5, NOW).trace).toMatchObject({
    stream_status: {
      status: 'RUNNING',
      reasons: [{ type: 'RATE_LIMITED', rate_limited: { quota_reset: NOW + 5 } }],
    },
  });
  expect(estimateMessage('assets', 12, NOW).trace).toStrictEqual({
    type: 'ESTIMATE',
    emitted_at: NOW,
    estimate: { name: 'assets', type: 'STREAM', row_estimate: 12 },
  });
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
