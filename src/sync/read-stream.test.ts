import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { transientError } from '../errors.ts';
import { createWriter } from '../protocol/writer.ts';
import { rowsOf } from '../rows/row.test-support.ts';
import { readStream } from './read-stream.ts';
import { FULL, MINUTE_MS, limited, rows, sleep, streamOf, watch, wordOf } from './stream.test-support.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

test('during a long rate limit the last state is repeated every five minutes, unchanged', async () => {
  const { events, run } = watch();
  const stream = streamOf(async function* ({ onWait }) {
    await sleep(6000);
    yield { rows: rows(2), total: undefined, state: () => ({ at: 2 }) };
    yield { rows: rows(1), total: undefined, state: () => ({ at: 3 }) };
    for (let minute = 0; minute < 12; minute++) {
      await onWait(limited(MINUTE_MS));
      await sleep(MINUTE_MS);
    }
    yield { rows: rows(1), total: undefined, state: () => ({ at: 4 }) };
    yield { rows: [], total: undefined, state: () => ({ at: 'end' }) };
  });
  const reading = readStream(stream, FULL, null, run);
  await vi.advanceTimersByTimeAsync(20 * MINUTE_MS);
  expect(await reading).toMatchObject({ name: 'assets', rows: 4, phase: 'done' });
  expect(events.filter((word) => !/RATE_LIMITED|WARN/.test(word))).toStrictEqual([
    '0 s STARTED',
    '6 s RUNNING',
    '6 s RECORD',
    '6 s RECORD',
    '6 s STATE {"at":2} of 2',
    '6 s RECORD',
    // the state after the third row: resuming from an older one would repeat that row
    '306 s STATE {"at":3} of 1',
    '606 s STATE {"at":3} of 0',
    '726 s RUNNING',
    '726 s RECORD',
    '726 s STATE {"at":4} of 1',
    '726 s STATE {"at":"end"} of 0',
    '726 s COMPLETE',
  ]);
  expect(events.filter((word) => word.includes('RATE_LIMITED')).slice(0, 2)).toStrictEqual([
    '6 s RUNNING RATE_LIMITED until 66 s',
    '66 s RUNNING RATE_LIMITED until 126 s',
  ]);
});

test('nothing is repeated without a state or after the end', async () => {
  const { events, run } = watch();
  const stream = streamOf(async function* ({ onWait }) {
    await onWait(limited(15 * MINUTE_MS));
    await sleep(15 * MINUTE_MS);
    yield { rows: [], total: undefined, state: () => ({ at: 0 }) };
  });
  const reading = readStream(stream, FULL, null, run);
  await vi.advanceTimersByTimeAsync(15 * MINUTE_MS);
  await reading;
  await vi.advanceTimersByTimeAsync(60 * MINUTE_MS);
  expect(events).toStrictEqual([
    '0 s STARTED',
    '0 s WARN',
    '0 s RUNNING RATE_LIMITED until 900 s',
    '900 s RUNNING',
    '900 s STATE {"at":0} of 0',
    '900 s COMPLETE',
  ]);
});

test('a stream that has ended is not said to run, although a page requested ahead waits for a rate limit', async () => {
  const { events, run } = watch();
  const stream = streamOf(async function* ({ onWait }) {
    void sleep(5000).then(() => onWait(limited(MINUTE_MS)));
    yield { rows: [], total: undefined, state: () => ({ at: 0 }) };
  });
  await readStream(stream, FULL, null, run);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(events.slice(-2)).toStrictEqual(['0 s COMPLETE', '5 s WARN']);
});

test('an aborted read emits no more rows, and reports the reason and the last state', async () => {
  const { events, run, stop } = watch();
  const stream = streamOf(async function* () {
    for (let page = 0; ; page++) {
      yield { rows: rows(1), total: undefined, state: () => ({ at: page }) };
      if (page === 1) stop(transientError('ABORTED', 'told to stop', null));
    }
  });
  expect(await readStream(stream, FULL, null, run)).toMatchObject({
    name: 'assets',
    rows: 3,
    phase: 'stopped',
  });
  expect(events).toStrictEqual([
    '0 s STARTED',
    '0 s RUNNING',
    '0 s RECORD',
    '0 s RECORD',
    '0 s RECORD',
    '0 s transient_error told to stop',
    '0 s STATE {"at":2} of 3',
    '0 s INCOMPLETE',
  ]);
});

test('after an abort any failure is reported as the abort', async () => {
  const { events, run, stop } = watch();
  // oxlint-disable-next-line require-yield -- it fails before its first page
  const stream = streamOf(async function* () {
    stop(transientError('ABORTED', 'told to stop', null));
    throw new DOMException('This operation was aborted', 'AbortError');
  });
  await readStream(stream, FULL, null, run);
  expect(events).toStrictEqual(['0 s STARTED', '0 s transient_error told to stop', '0 s INCOMPLETE']);
});

test('a read that is cut short logs this, and writes no state that would skip rows', async () => {
  const { events, run } = watch();
  const stream = streamOf(async function* () {
    yield { rows: rows(2), total: undefined, state: () => ({ at: 2 }) };
    yield { rows: rows(2), total: undefined, state: () => ({ at: 4 }) };
    yield { rows: rows(2), total: undefined, state: () => ({ at: 6 }) };
  });
  const reading = readStream(stream, FULL, null, { ...run, limitRows: 3 });
  await vi.advanceTimersByTimeAsync(1000);
  expect(await reading).toMatchObject({ name: 'assets', rows: 3, phase: 'cut short' });
  expect(events.slice(2)).toStrictEqual([
    '0 s RECORD',
    '0 s RECORD',
    // ahead of the row that it does not cover
    '0 s STATE {"at":2} of 2',
    '0 s RECORD',
    '0 s INFO',
    '0 s INCOMPLETE',
  ]);
});

test('a list that ends exactly at the row limit is complete', async () => {
  const { run } = watch();
  const stream = streamOf(async function* () {
    yield { rows: rows(2), total: undefined, state: () => ({ at: 2 }) };
    yield { rows: [], total: undefined, state: () => ({ at: 'end' }) };
  });
  const reading = readStream(stream, FULL, null, { ...run, limitRows: 2 });
  await vi.advanceTimersByTimeAsync(1000);
  expect(await reading).toMatchObject({ phase: 'done' });
});

test('undeclared fields are reported once before their rows, and counted at the end', async () => {
  const { events, run } = watch();
  const stream = streamOf(async function* () {
    yield { rows: rows(2), total: undefined, state: null };
    yield { rows: rows(2), total: undefined, state: null };
  });
  const reading = readStream(stream, { ...FULL, declared: { b: {} } }, null, run);
  await vi.advanceTimersByTimeAsync(1000);
  await reading;
  expect(events).toStrictEqual([
    '0 s STARTED',
    '0 s RUNNING',
    '0 s WARN',
    ...Array.from({ length: 4 }, () => '0 s RECORD'),
    '0 s WARN',
    '0 s COMPLETE',
  ]);
});

test('the estimate is sent once, and only a wait for a rate limit is a status', async () => {
  const { events, run } = watch();
  const stream = streamOf(async function* ({ onWait }) {
    yield { rows: rows(1), total: 2, state: null };
    await onWait({ reason: 'status 503', isRateLimited: false, waitMs: 1000 });
    yield { rows: rows(1), total: 2, state: null };
  });
  const reading = readStream(stream, FULL, null, run);
  await vi.advanceTimersByTimeAsync(1000);
  await reading;
  expect(events).toStrictEqual([
    '0 s STARTED',
    '0 s ESTIMATE',
    '0 s RUNNING',
    '0 s RECORD',
    '0 s WARN',
    '0 s RECORD',
    '0 s COMPLETE',
  ]);
});

/** The rows of a page that takes several turns of the event loop. */
const LARGE = rowsOf(
  Array.from({ length: 30_000 }, (_, id) => `{"id":${id},"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0}`),
);

test('a large page is written in order, with one state at its end', async () => {
  const { run } = watch();
  const stdout = new PassThrough();
  const output = text(stdout);
  const stream = streamOf(async function* () {
    yield { rows: LARGE, total: undefined, state: () => ({ at: 'end' }) };
  });
  const writer = createWriter(stdout, run.redactor);
  const result = await readStream(stream, FULL, null, { ...run, writer, stateEveryMs: 0 });
  expect(result).toMatchObject({ rows: LARGE.length, phase: 'done' });
  stdout.end();
  const lines = (await output).trimEnd().split('\n').slice(2);
  const ids = lines.slice(0, -2).map((line) => Number(/"data":\{"id":(\d+),/.exec(line)?.[1]));
  expect(ids).toStrictEqual(LARGE.map((_, id) => id));
  expect(lines.slice(-2).map(wordOf)).toStrictEqual(['0 s STATE {"at":"end"} of 30000', '0 s COMPLETE']);
});

test('an abort takes effect within a large page, whose state is then not written', async () => {
  vi.useRealTimers();
  const { events, run, stop } = watch();
  const stream = streamOf(async function* () {
    yield { rows: rows(1), total: undefined, state: () => ({ at: 1 }) };
    // as a signal does: in the next turn of the event loop
    setImmediate(() => stop(transientError('ABORTED', 'told to stop', null)));
    yield { rows: LARGE, total: undefined, state: () => ({ at: 'end' }) };
  });
  const { rows: emitted } = await readStream(stream, FULL, null, run);
  expect(emitted).toBeLessThan(LARGE.length / 3);
  const written = events.map((word) => word.replace(/^\d+ s /, ''));
  expect(written.slice(0, 4)).toStrictEqual(['STARTED', 'RUNNING', 'RECORD', 'STATE {"at":1} of 1']);
  expect(written.slice(4)).toStrictEqual([
    ...Array.from({ length: emitted - 1 }, () => 'RECORD'),
    'transient_error told to stop',
    'INCOMPLETE',
  ]);
});
