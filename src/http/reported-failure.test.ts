import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../property-runs.test-support.ts';
import { mayReport, reportsFailure } from './reported-failure.ts';

test.each<[name: string, values: unknown[]]>([
  ['error', [true, 'cursor expired', 1, -1, { code: 5 }, { code: 0, message: 'timeout' }, ['x'], 'true']],
  ['errors', [1, 200, [{ message: 'shard 3 timed out' }], { count: 1, list: [] }, [{}]]],
  ['hasErrors', [true, 'true']],
  ['errorMessage', ['shard failed']],
  ['error_code', ['E17', 500]],
  ['exception', ['java.lang.IllegalStateException']],
  ['success', [false, 'false', 0]],
  ['isSuccessful', [false]],
  ['ok', [false]],
  ['status', ['error', 'FAILED', 'failure', 'partial', 'timeout', 503, '404', false, { code: 500 }]],
  ['status', [{ success: false }, { errors: [{ a: 1 }] }]],
  ['result', ['fail', false]],
  ['statusCode', [502]],
  ['code', [401]],
  ['timedOut', [true]],
  ['incomplete_results', [true]],
])('%s reports a failure: %j', (name, values) => {
  expect(mayReport(name)).toBe(true);
  for (const value of values) expect([value, reportsFailure(name, value)]).toStrictEqual([value, true]);
});

test.each<[name: string, values: unknown[]]>([
  [
    'error',
    [null, false, 0, '', ' ', '0', '00', '0000', 200, '200', 'none', 'None', 'no error', 'OK', 'ok.'],
  ],
  ['status', [{ active: 20, failed: 2, error: 1 }]],
  [
    'error',
    [{ status: 200 }, {}, [], [null], { code: 0, message: '' }, { code: 0, message: 'OK' }, { code: '200' }],
  ],
  ['error', [{ code: 200, message: 'Request processed successfully.', details: [[]] }]],
  ['errors', [0, [], {}, { count: 0, list: [] }, 'No errors found']],
  ['errorCode', [0, '0', null, 'SUCCESS']],
  ['success', [true, 'true', 1, null, 200]],
  ['status', ['active', 'ok', 'success', 200, 'completed', null, true, { code: 0, message: 'OK' }]],
  ['state', ['active']],
  ['result', [[{ error: 'x' }], 'complete']],
  ['code', [0, 200, 'OK', 1]],
  ['partial', [false, 'false', { error: 'x' }]],
  ['faults', [3, ['brakes']]],
  ['errorCount', [3]],
  ['errorTypes', [['tyre']]],
  ['defaultErrorRate', [0.5]],
  ['message', ['backend timeout']],
  ['nextCursor', ['error']],
])('%s reports no failure: %j', (name, values) => {
  for (const value of values) expect([value, reportsFailure(name, value)]).toStrictEqual([value, false]);
});

test('whatever a member is, it is judged', () => {
  const deep = Array.from({ length: 100_000 }).reduce<unknown>((inner) => [inner], 0);
  expect(reportsFailure('errors', deep)).toBe(true);
  fc.assert(
    fc.property(fc.constantFrom('error', 'errors', 'status', 'success'), fc.jsonValue(), (name, value) => {
      expect(typeof reportsFailure(name, value)).toBe('boolean');
    }),
    { numRuns: runs(500) },
  );
});
