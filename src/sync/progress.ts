import type { StandardError } from '../standard-streams.ts';
import type { Batch, ReadContext, SourceStream } from '../streams/stream.ts';
import { progressLine } from './progress-line.ts';
import type { StreamProgress } from './progress-line.ts';
import type { RunContext } from './read-stream.ts';

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
 * Where the writer writes to the same screen, the line makes room for its lines.
 */
export function startProgress(
  screen: StandardError,
  mostRows: number | null,
  { writer, clock: { now }, signal }: Pick<RunContext, 'writer' | 'clock' | 'signal'>,
) {
  const board = createProgressBoard(now, mostRows);
  let shown = { text: '', columns: 0 };

  const draw = (end: '\r' | '\n'): void => {
    const columns = screen.columns();
    const isResized = columns !== shown.columns;
    // a character in the last column would make some terminals wrap
    const text = progressLine(board.streams(), Math.max(1, columns - 1), screen.colours, now());
    if (text === '' || (text === shown.text && !isResized && end === '\r')) return;
    const erased = `${isResized ? ERASE_BELOW : ERASE_LINE}${text}`;
    screen.write(`\r${screen.erases ? erased : text.padEnd(Math.min(shown.text.length, columns - 1))}${end}`);
    shown = { text, columns };
  };
  const wipe = (): void => {
    const { text } = shown;
    if (text !== '') screen.write(screen.erases ? `\r${ERASE_BELOW}` : `\r${' '.repeat(text.length)}\r`);
    shown.text = '';
  };
  const timer = setInterval(draw, DRAW_MS, '\r').unref();
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    board.stop();
    draw('\n');
    shown.text = '';
  };
  signal.addEventListener('abort', end);
  if (screen.isSharedWithStdout) writer.beforeEach(wipe);

  return {
    /** The stream as it is; what it reads shows in the line. */
    watch: board.watch,
    /** Draws the line a last time and ends it, so that a prompt stands on a line of its own. */
    end,
  };
}

/** How far the streams of a run have come; `mostRows` is where each is cut short, also within a batch, or null. */
export function createProgressBoard(now: () => number, mostRows: number | null) {
  /** Null for a stream that has not begun. */
  const watched = new Map<string, StreamProgress | null>();
  const streams = (): StreamProgress[] => [...watched.values()].filter((stream) => stream !== null);

  async function* watchedRead({ name, read }: SourceStream, context: ReadContext): AsyncGenerator<Batch> {
    const nothing = { rows: 0, covered: 0, total: null, newest: null, waitUntilMs: null };
    const samples = [{ ms: now(), rows: 0 }];
    const progress: StreamProgress = { name, phase: 'reading', ...nothing, samples };
    watched.set(name, progress);
    const onWait: ReadContext['onWait'] = (waiting) => {
      progress.waitUntilMs = now() + waiting.waitMs;
      return context.onWait(waiting);
    };
    try {
      for await (const batch of read({ ...context, onWait })) {
        count(progress, batch, mostRows ?? Infinity, now());
        yield batch;
      }
      progress.phase = 'done';
    } catch (error) {
      progress.phase = context.signal.aborted ? 'stopped' : 'failed';
      throw error;
    } finally {
      // left early, by whoever reads
      if (progress.phase === 'reading') progress.phase = 'stopped';
    }
  }
  return {
    /** The stream as it is, watched. */
    watch: (stream: SourceStream): SourceStream => {
      watched.set(stream.name, null);
      return { ...stream, read: (context) => watchedRead(stream, context) };
    },
    /** The streams that have begun, in the order in which they were watched. */
    streams,
    /** The streams that have not ended show as stopped. */
    stop: (): void => {
      for (const stream of streams()) if (stream.phase === 'reading') stream.phase = 'stopped';
    },
  };
}

function count(progress: StreamProgress, { rows, ...batch }: Batch, mostRows: number, ms: number): void {
  progress.rows = Math.min(progress.rows + rows.length, mostRows);
  progress.covered = batch.covered ?? progress.covered + rows.length;
  progress.total = batch.total ?? progress.total;
  progress.newest = batch.newest ?? progress.newest;
  progress.waitUntilMs = null;
  const isDue = ms - (progress.samples.at(-1)?.ms ?? -Infinity) >= SAMPLE_MS;
  if (isDue) progress.samples = [...progress.samples, { ms, rows: progress.rows }].slice(-SAMPLES);
}
