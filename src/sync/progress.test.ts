import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../clock.ts';
import { createRedactor } from '../protocol/redactor.ts';
import { createWriter, type Writer } from '../protocol/writer.ts';
import { rowOf } from '../rows/row.test-support.ts';
import type { StandardError } from '../standard-streams.ts';
import { beginProgress, countBatch, drawProgress, type StreamProgress } from './progress.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Watched {
  readonly progress: StreamProgress[];
  readonly end: () => void;
  readonly writer: Writer; // of the stdout whose lines are marked
  readonly written: string[]; // what was written, in order; what went to stdout is marked
  readonly resize: (columns: number) => void;
}

function watch(changes: Partial<StandardError>): Watched {
  const written: string[] = [];
  const stdout = new PassThrough();
  stdout.on('data', (lines: Buffer) => written.push(`stdout ${lines.toString().slice(0, 12)}`));
  const writer = createWriter(stdout, createRedactor());
  let columns = 60;
  const screen: StandardError = {
    isTerminal: true,
    isStdoutTerminal: false,
    columns: () => columns,
    write: (text) => written.push(text),
    ...changes,
  };
  const progress: StreamProgress[] = [];
  return {
    progress,
    end: drawProgress(screen, progress, { clock: systemClock }),
    writer,
    written,
    resize: (wanted) => {
      columns = wanted;
    },
  };
}

const ROW = rowOf({ a: 1 });

/** Starts to read a row every 10 ms. */
async function read(progress: StreamProgress[], rows: number): Promise<void> {
  const shown = beginProgress('assets', Date.now());
  progress.push(shown);
  for (let row = 0; row < rows; row++) {
    countBatch(shown, { rows: [ROW], total: undefined, state: null });
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
  shown.phase = 'done';
}

test('the line is drawn at most ten times a second, and once more at the end', async () => {
  const { progress, end, written } = watch({});
  const reading = read(progress, 200);
  await vi.advanceTimersByTimeAsync(2500);
  await reading;
  expect(written.length).toBeLessThanOrEqual(21);
  expect(written.slice(0, 2)).toStrictEqual(['\rassets 10 rows\r', '\rassets 20 rows\r']);
  // what has not changed is not drawn again
  const drawn = written.length;
  await vi.advanceTimersByTimeAsync(5000);
  expect(written.length).toBe(drawn);
  end();
  await vi.advanceTimersByTimeAsync(5000);
  expect(written.slice(drawn)).toStrictEqual(['\rassets 200 rows done\n']);
  expect(vi.getTimerCount()).toBe(0);
});

test('nothing is drawn if nothing was read', async () => {
  const { end, written } = watch({});
  await vi.advanceTimersByTimeAsync(1000);
  end();
  expect(written).toStrictEqual([]);
});

test('a stream appears once it has begun', async () => {
  const { progress, end, written } = watch({});
  progress.push(beginProgress('alarms', Date.now()));
  await vi.advanceTimersByTimeAsync(100);
  progress.push(beginProgress('assets', Date.now()));
  await vi.advanceTimersByTimeAsync(100);
  end();
  expect(written).toStrictEqual([
    '\ralarms 0 rows\r',
    '\ralarms 0 rows | assets 0 rows\r',
    '\ralarms 0 rows | assets 0 rows\n',
  ]);
});

test('after a resize, the line is truncated to the new width, and the rest of a longer one is overwritten', async () => {
  const { progress, end, written, resize } = watch({});
  const reading = read(progress, 30);
  await vi.advanceTimersByTimeAsync(100);
  resize(8);
  await vi.advanceTimersByTimeAsync(200);
  await reading;
  // the last column stays free
  expect(written.slice(1, 3)).toStrictEqual(['\rassets \r']);
  end();
  expect(written.at(-1)).toBe('\rassets \n');
});
