import type { Writer } from '../protocol/writer.ts';
import type { StandardError } from '../standard-streams.ts';
import type { Batch, SourceStream } from '../streams/stream.ts';
import { progressLine } from './progress-line.ts';
import type { StreamProgress } from './progress-line.ts';

/** The progress line of a read. */
export interface Progress {
  /** The stream as it is; what it reads shows in the line. */
  readonly watch: (stream: SourceStream) => SourceStream;
  /** The writer as it is; where it writes to the same screen, the line makes room for its lines. */
  readonly makeRoom: (writer: Writer) => Writer;
  /** Draws the line a last time and ends it, so that a prompt stands on a line of its own. */
  readonly end: () => void;
}

/** ms between two drawings. */
const DRAW_MS = 100;
const ERASE_LINE = '\u001B[K';
const ERASE_BELOW = '\u001B[J';
/** ms between two samples at least, and how many are kept: more than the rate looks back. */
const SAMPLE_MS = 500;
const SAMPLES = 30;

/**
 * Draws the progress of the watched streams on one line, anew whenever it has changed, ten times a second at most, until
 * `signal` is aborted. It does not keep the process alive.
 *
 * The cursor waits at the start of the line: on a terminal that wraps anew when it gets narrower it stays there, so that all
 * of the old line is behind it and can be erased. What is typed meanwhile moves it, so every drawing returns there first.
 */
export function startProgress(
  screen: StandardError,
  now: () => number,
  mostRows: number | null,
  signal: AbortSignal,
): Progress {
  const board = createProgressBoard(now, mostRows);
  let shown = { text: '', columns: 0 };
  let isOver = false;

  const draw = (end: string): void => {
    const columns = screen.columns();
    // a character in the last column would make some terminals wrap
    const text = progressLine(board.streams(), Math.max(1, columns - 1), screen.colours, now());
    if (text === '' || (text === shown.text && columns === shown.columns && end === '')) return;
    const erase = columns === shown.columns ? ERASE_LINE : ERASE_BELOW;
    const line = screen.erases ? `${erase}${text}` : text.padEnd(Math.min(shown.text.length, columns - 1));
    screen.write(`\r${line}${end === '' ? '\r' : end}`);
    shown = { text, columns };
  };
  const wipe = (): void => {
    if (shown.text === '') return;
    screen.write(screen.erases ? `\r${ERASE_BELOW}` : `\r${' '.repeat(shown.text.length)}\r`);
    shown = { text: '', columns: shown.columns };
  };
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    signal.removeEventListener('abort', end);
    board.stop();
    draw('\n');
    shown = { text: '', columns: 0 };
  };
  const timer = setInterval(draw, DRAW_MS, '').unref();
  if (signal.aborted) end();
  else signal.addEventListener('abort', end);

  const wiping =
    <Args extends readonly unknown[], Result>(write: (...args: Args) => Result) =>
    (...args: Args): Result => {
      wipe();
      return write(...args);
    };
  return {
    watch: board.watch,
    makeRoom: (writer) =>
      screen.isSharedWithStdout
        ? { ...writer, write: wiping(writer.write), send: wiping(writer.send) }
        : writer,
    end,
  };
}

/**
 * Counts how far the streams of a run have come, page by page, as they are handed out.
 *
 * @param mostRows rows of each stream after which it is cut short, in the middle of a batch too; null to read to the end
 */
export function createProgressBoard(now: () => number, mostRows: number | null) {
  /** Null for a stream that has not begun. */
  const watched = new Map<string, StreamProgress | null>();
  let isStopped = false;
  const change = (name: string, changed: Partial<StreamProgress>): void => {
    const stream = watched.get(name);
    if (stream !== undefined && stream !== null && !isStopped) watched.set(name, { ...stream, ...changed });
  };
  const streams = (): readonly StreamProgress[] => [...watched.values()].filter((stream) => stream !== null);

  return {
    /** The stream as it is, watched. */
    watch: (stream: SourceStream): SourceStream => {
      const { name } = stream;
      watched.set(name, null);
      return {
        ...stream,
        read: async function* (context) {
          if (!isStopped) watched.set(name, newProgress(name, now()));
          // left early, by whoever reads, it is stopped
          let phase: StreamProgress['phase'] = 'stopped';
          try {
            const batches = stream.read({
              ...context,
              onWait: (waiting) => {
                change(name, { waitUntilMs: now() + waiting.waitMs });
                return context.onWait(waiting);
              },
            });
            for await (const batch of batches) {
              const before = watched.get(name) ?? null;
              if (before !== null) change(name, counted(before, batch, mostRows ?? Infinity, now()));
              yield batch;
            }
            phase = 'done';
          } catch (error) {
            phase = context.signal.aborted ? 'stopped' : 'failed';
            throw error;
          } finally {
            change(name, { phase });
          }
        },
      };
    },
    /** The streams that have begun, in the order in which they were watched. */
    streams,
    /** From now on the streams that have not ended show as stopped, and nothing is counted any more. */
    stop: (): void => {
      for (const { name, phase } of streams()) if (phase === 'reading') change(name, { phase: 'stopped' });
      isStopped = true;
    },
  };
}

function newProgress(name: string, nowMs: number): StreamProgress {
  const nothing = { rows: 0, covered: 0, total: null, newest: null, waitUntilMs: null };
  return { name, phase: 'reading', ...nothing, samples: [{ ms: nowMs, rows: 0 }] };
}

/** What a batch changes. */
function counted(
  before: StreamProgress,
  batch: Batch,
  mostRows: number,
  nowMs: number,
): Partial<StreamProgress> {
  const rows = Math.min(before.rows + batch.rows.length, mostRows);
  const { samples } = before;
  const isDue = nowMs - (samples.at(-1)?.ms ?? -Infinity) >= SAMPLE_MS;
  return {
    rows,
    covered: batch.covered ?? before.covered + batch.rows.length,
    total: batch.total ?? before.total,
    newest: batch.newest ?? before.newest,
    samples: isDue ? [...samples, { ms: nowMs, rows }].slice(-SAMPLES) : samples,
    waitUntilMs: null,
  };
}
