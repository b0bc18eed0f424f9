import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { createRedactor } from '../protocol/redactor.ts';
import { createWriter } from '../protocol/writer.ts';
import { rowOf } from '../rows/row.test-support.ts';
import type { Batch, SourceStream } from '../streams/stream.ts';
import { drawProgress, type StreamProgress } from './progress.ts';
import { readStream, type RunContext } from './read-stream.ts';
import { FULL, streamOf } from './stream.test-support.ts';

function batch(count: number, more: Partial<Batch>): Batch {
  const row = rowOf({ a: 1 });
  return { rows: Array.from({ length: count }, () => row), total: undefined, state: null, ...more };
}

function runAt(now: () => number, more: Partial<RunContext>): RunContext {
  const redactor = createRedactor();
  return {
    writer: createWriter(new PassThrough().resume(), redactor),
    redactor,
    clock: { ...systemClock, now },
    signal: new AbortController().signal,
    stateEveryMs: 0,
    limitRows: null,
    progress: [],
    ...more,
  };
}

function readAssets(read: SourceStream['read'], run: RunContext): ReturnType<typeof readStream> {
  return readStream(streamOf(read), FULL, null, run);
}

function phases(progress: readonly StreamProgress[]): string[] {
  return progress.map(({ name, phase, rows }) => `${name} ${phase} ${rows}`);
}

test('emitted batches are counted', async () => {
  let nowMs = 0;
  const run = runAt(() => nowMs, {});
  const batches = [
    batch(2, { total: 10 }),
    batch(3, { newest: 5n }),
    batch(1, { emitted: 9, total: 11 }),
    batch(1, {}),
    batch(0, {}),
  ];
  const seen: unknown[] = [];
  expect(phases(run.progress)).toStrictEqual([]);
  await readAssets(async function* () {
    for (const each of batches) {
      yield each;
      const shown = run.progress[0];
      seen.push([shown?.rows, shown?.emitted, shown?.total, shown?.newest, shown?.phase]);
      nowMs += 300;
    }
  }, run);
  expect(seen).toStrictEqual([
    [2, 2, 10, null, 'reading'],
    [5, 5, 10, 5n, 'reading'],
    [6, 9, 11, 5n, 'reading'],
    [7, 10, 11, 5n, 'reading'],
    [7, 10, 11, 5n, 'reading'],
  ]);
  expect(phases(run.progress)).toStrictEqual(['assets done 7']);
});

test('a wait is shown until rows arrive', async () => {
  const run = runAt(() => 1000, {});
  const ends: unknown[] = [];
  await readAssets(async function* ({ onWait }) {
    const waiting = onWait({ reason: 'status 429', isRateLimited: true, waitMs: 500 });
    ends.push(run.progress[0]?.waitUntilMs);
    await waiting;
    yield batch(0, {});
    ends.push(run.progress[0]?.waitUntilMs);
  }, run);
  expect(ends).toStrictEqual([1500, null]);
});

test('a failure is shown as failed, and as stopped after an abort', async () => {
  const screen = { isTerminal: true, isStdoutTerminal: false };
  for (const expected of ['assets 0 rows failed', 'assets 0 rows stopped']) {
    const controller = new AbortController();
    const run = runAt(() => 0, { signal: controller.signal });
    const drawn: string[] = [];
    const show = { ...screen, columns: () => 80, write: (line: string) => void drawn.push(line) };
    const end = drawProgress(show, run.progress, run);
    // oxlint-disable-next-line require-yield -- it fails before its first page
    await readAssets(async function* () {
      if (expected.includes('stopped')) controller.abort();
      throw new Error('no');
    }, run);
    end();
    expect(drawn).toStrictEqual([`\r${expected}\n`]);
  }
});

test('a stream that is cut short is shown as such, with the rows that were emitted', async () => {
  const run = runAt(() => 0, { limitRows: 3 });
  let isClosed = false;
  await readAssets(async function* () {
    try {
      for (;;) yield batch(2, {});
    } finally {
      isClosed = true;
    }
  }, run);
  expect(isClosed).toBe(true);
  expect(phases(run.progress)).toStrictEqual(['assets cut short 3']);
});
