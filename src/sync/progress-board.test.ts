import { expect, test } from 'vitest';

import { rowOf } from '../protocol/row.test-support.ts';
import type { Batch, ReadContext, SourceStream } from '../streams/stream.ts';
import { createProgressBoard } from './progress.ts';

function batch(count: number, more: Partial<Batch>): Batch {
  const row = rowOf({ a: 1 });
  return { rows: Array.from({ length: count }, () => row), total: undefined, state: null, ...more };
}

function streamOf(name: SourceStream['name'], read: SourceStream['read']): SourceStream {
  return {
    name,
    catalogEntry: { name, json_schema: { type: 'object', properties: {} }, supported_sync_modes: [] },
    assumedFields: [],
    probe: async () => 'ok',
    sample: async function* () {},
    read,
  };
}

async function nothing(): Promise<void> {}

async function* oneRow(): AsyncGenerator<Batch> {
  yield batch(1, {});
}

function context(signal: AbortSignal): ReadContext {
  return {
    syncMode: 'full_refresh',
    state: null,
    signal,
    now: () => 0,
    info: nothing,
    warn: nothing,
    onWait: nothing,
  };
}

const CALM = context(new AbortController().signal);

function phases(board: ReturnType<typeof createProgressBoard>): string[] {
  return board.streams().map(({ name, phase, rows }) => `${name} ${phase} ${rows}`);
}

test('what a stream hands out is handed on and counted', async () => {
  let nowMs = 0;
  const board = createProgressBoard(() => nowMs, null);
  const batches = [
    batch(2, { total: 10 }),
    batch(3, { newest: 5n }),
    batch(1, { covered: 9, total: 11 }),
    batch(1, {}),
    batch(0, {}),
  ];
  const watched = board.watch(
    streamOf('assets', async function* () {
      yield* batches;
    }),
  );
  expect(board.streams()).toStrictEqual([]);
  const seen: unknown[] = [];
  const taken: Batch[] = [];
  for await (const each of watched.read(CALM)) {
    taken.push(each);
    const [shown] = board.streams();
    seen.push([
      shown?.rows,
      shown?.covered,
      shown?.total,
      shown?.newest,
      shown?.samples.length,
      shown?.phase,
    ]);
    nowMs += 300;
  }
  expect(taken).toStrictEqual(batches);
  expect(seen).toStrictEqual([
    [2, 2, 10, null, 1, 'reading'],
    [5, 5, 10, 5n, 1, 'reading'],
    [6, 9, 11, 5n, 2, 'reading'],
    [7, 10, 11, 5n, 2, 'reading'],
    [7, 10, 11, 5n, 3, 'reading'],
  ]);
  expect(phases(board)).toStrictEqual(['assets done 7']);
});

test('a wait shows until rows come again, and is told on', async () => {
  const board = createProgressBoard(() => 1000, null);
  const waits: number[] = [];
  const watched = board.watch(
    streamOf('alarms', async function* ({ onWait }) {
      await onWait({ reason: 'status 429', rateLimited: true, waitMs: 500 });
      yield batch(0, {});
    }),
  );
  const reading = watched.read({
    ...CALM,
    onWait: async ({ waitMs }) => {
      waits.push(waitMs, Number(board.streams()[0]?.waitUntilMs));
    },
  });
  await reading.next();
  expect(waits).toStrictEqual([500, 1500]);
  expect(board.streams()[0]?.waitUntilMs).toBeNull();
});

test('streams stand in the order in which they were watched, from when they begin', async () => {
  const board = createProgressBoard(() => 0, null);
  const [assets, alarms] = (['assets', 'alarms'] as const).map((name) => board.watch(streamOf(name, oneRow)));
  await alarms?.read(CALM).next();
  expect(phases(board)).toStrictEqual(['alarms reading 1']);
  await assets?.read(CALM).next();
  expect(phases(board)).toStrictEqual(['assets reading 1', 'alarms reading 1']);
  board.stop();
  expect(phases(board)).toStrictEqual(['assets stopped 1', 'alarms stopped 1']);
});

test('a failure is passed on; once the read is told to stop it counts for that', async () => {
  const controller = new AbortController();
  for (const expected of ['assets failed 0', 'assets stopped 0']) {
    const board = createProgressBoard(() => 0, null);
    const watched = board.watch(
      // oxlint-disable-next-line require-yield -- it fails before its first page
      streamOf('assets', async function* () {
        throw new Error('no');
      }),
    );
    await expect(watched.read(context(controller.signal)).next()).rejects.toThrow('no');
    expect(phases(board)).toStrictEqual([expected]);
    controller.abort();
  }
});

test('whoever leaves early ends the stream, which shows no more rows than were wanted', async () => {
  const board = createProgressBoard(() => 0, 3);
  let isClosed = false;
  const watched = board.watch(
    streamOf('assets', async function* () {
      try {
        for (;;) yield batch(2, {});
      } finally {
        isClosed = true;
      }
    }),
  );
  let left = 3;
  for await (const { rows } of watched.read(CALM)) {
    left -= rows.length;
    if (left < 0) break;
  }
  expect(isClosed).toBe(true);
  expect(phases(board)).toStrictEqual(['assets stopped 3']);
});
