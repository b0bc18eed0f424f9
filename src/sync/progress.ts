import type { StandardError } from '../standard-streams.ts';
import type { Batch } from '../streams/stream.ts';
import { progressLine } from './progress-line.ts';
import type { StreamProgress } from './progress-line.ts';
import type { RunContext } from './read-stream.ts';

/** How far the streams of a run have come, in the order in which they show; null for one that has not begun. */
export type Progress = Map<string, StreamProgress | null>;

/** ms between two drawings. */
const DRAW_MS = 100;
const ERASE_LINE = '\u001B[K';
const ERASE_BELOW = '\u001B[J';
/** ms between two samples at least, and how many are kept: more than the rate looks back. */
const SAMPLE_MS = 500;
const SAMPLES = 30;

/**
 * Draws the progress of a run on one line, anew whenever it has changed, ten times a second at most, until `signal` is aborted
 * or what is returned is called: then a last time, so that a prompt stands on a line of its own. It does not keep the process
 * alive. Where the writer writes to the same screen, the line makes room for its lines.
 *
 * The cursor waits at the start of the line: on a terminal that wraps anew when it gets narrower it stays there, so that all
 * of the old line is behind it and can be erased. What is typed meanwhile moves it, so every drawing returns there first.
 */
export function drawProgress(
  screen: StandardError,
  progress: Progress,
  { writer, clock: { now }, signal }: Pick<RunContext, 'writer' | 'clock' | 'signal'>,
): () => void {
  const begun = (): StreamProgress[] => [...progress.values()].filter((stream) => stream !== null);
  let shown = { text: '', columns: 0 };
  const draw = (end: '\r' | '\n'): void => {
    const columns = screen.columns();
    const isResized = columns !== shown.columns;
    // a character in the last column would make some terminals wrap
    const text = progressLine(begun(), Math.max(1, columns - 1), screen.colours, now());
    if (text === '' || (text === shown.text && !isResized && end === '\r')) return;
    const erased = `${isResized ? ERASE_BELOW : ERASE_LINE}${text}`;
    const line = screen.erases ? erased : text.padEnd(Math.min(shown.text.length, columns - 1));
    screen.write(`\r${line}${end}`);
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
    for (const stream of begun()) if (stream.phase === 'reading') stream.phase = 'stopped';
    draw('\n');
    shown.text = '';
  };
  signal.addEventListener('abort', end);
  if (screen.isSharedWithStdout) writer.beforeEach(wipe);
  return end;
}

/** The progress of a stream that begins now. */
export function beginProgress(progress: Progress, name: string, ms: number): StreamProgress {
  const nothing = { rows: 0, covered: 0, total: null, newest: null, waitUntilMs: null };
  const begun: StreamProgress = { name, phase: 'reading', ...nothing, samples: [{ ms, rows: 0 }] };
  progress.set(name, begun);
  return begun;
}

/** Counts a batch of which so many rows are wanted. */
export function countBatch(progress: StreamProgress, batch: Batch, wanted: number, ms: number): void {
  progress.rows += wanted;
  progress.covered = batch.covered ?? progress.covered + batch.rows.length;
  progress.total = batch.total ?? progress.total;
  progress.newest = batch.newest ?? progress.newest;
  progress.waitUntilMs = null;
  const isDue = ms - (progress.samples.at(-1)?.ms ?? -Infinity) >= SAMPLE_MS;
  if (isDue) progress.samples = [...progress.samples, { ms, rows: progress.rows }].slice(-SAMPLES);
}
