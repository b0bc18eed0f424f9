import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { transientError } from '../errors.ts';
import { readStream } from './read-stream.ts';
import { FULL, MINUTE_MS, limited, rows, sleep, streamOf, watch } from './stream.test-support.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

const GIVEN = { at: 'given' };
const incremental = { ...FULL, syncMode: 'incremental' } as const;
const COMPLETE = { __ab_full_refresh_sync_complete: true };

test.each([
  ['an incremental read', ['full_refresh', 'incremental'], incremental, GIVEN, true],
  ['a full refresh that resumes', ['full_refresh'], FULL, GIVEN, true],
  ['a full refresh of a finished stream', ['full_refresh'], FULL, COMPLETE, false],
  ['a full refresh that ignores the state', ['full_refresh', 'incremental'], FULL, GIVEN, false],
  ['an incremental read without a state', ['full_refresh', 'incremental'], incremental, null, false],
] as const)(
  'until %s has a state of its own, its last state is the given one',
  async (_, modes, selection, given, isKept) => {
    const kept = isKept ? [`STATE ${JSON.stringify(given)} of 0`] : [];
    for (const emitted of [0, 2]) {
      const { events, run } = watch();
      const stream = streamOf(async function* () {
        if (emitted > 0) yield { rows: rows(emitted), total: undefined, state: null };
        throw transientError('API_UNAVAILABLE', 'no usable response', null);
      });
      const catalogEntry = { ...stream.catalogEntry, supported_sync_modes: [...modes] };
      const reading = readStream({ ...stream, catalogEntry }, selection, given, run);
      await vi.advanceTimersByTimeAsync(1000);
      await reading;
      expect(events.slice(1).map((word) => word.replace(/^\d+ s /, ''))).toStrictEqual([
        // ahead of the rows that it does not cover
        ...(emitted > 0 ? ['RUNNING', ...kept, 'RECORD', 'RECORD'] : []),
        'transient_error no usable response',
        ...(emitted > 0 ? [] : kept),
        'INCOMPLETE',
      ]);
    }
  },
);

test('a stream that is not in the config keeps its state', async () => {
  const { events, run } = watch();
  await readStream(null, FULL, GIVEN, run);
  expect(events.slice(-2)).toStrictEqual(['0 s STATE {"at":"given"} of 0', '0 s INCOMPLETE']);
});

test('the given state is not written after one of the stream, and is repeated during a long wait before it', async () => {
  const { events, run } = watch();
  const stream = streamOf(async function* ({ onWait }) {
    await onWait(limited(6 * MINUTE_MS));
    await sleep(6 * MINUTE_MS);
    yield { rows: rows(1), total: undefined, state: () => ({ at: 1 }) };
    throw transientError('API_UNAVAILABLE', 'no usable response', null);
  });
  const reading = readStream(stream, incremental, GIVEN, run);
  await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
  await reading;
  expect(events.filter((word) => word.includes('STATE'))).toStrictEqual([
    '300 s STATE {"at":"given"} of 0',
    '360 s STATE {"at":1} of 1',
  ]);
});
