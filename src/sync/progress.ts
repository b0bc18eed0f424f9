import type { StandardError } from '../standard-streams.ts';
import type { Writer } from '../protocol/writer.ts';
import type { SourceStream } from '../streams/stream.ts';
import { createProgressBoard } from './progress-board.ts';
import { progressLine } from './progress-line.ts';

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

/**
 * Draws the progress of the watched streams on one line, which is drawn anew whenever it has changed, ten times a second at
 * most. It ends at once when `signal` is aborted. It does not keep the process alive.
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
    screen.write(replaced(text, columns) + (end === '' ? '\r' : end));
    shown = { text, columns };
  };
  const replaced = (text: string, columns: number): string => {
    if (screen.erases) return `\r${columns === shown.columns ? ERASE_LINE : ERASE_BELOW}${text}`;
    return `\r${text.padEnd(Math.min(shown.text.length, columns - 1))}`;
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

  return {
    watch: board.watch,
    makeRoom: (writer) =>
      screen.isSharedWithStdout
        ? {
            ...writer,
            write: (lines) => {
              wipe();
              return writer.write(lines);
            },
            send: (...messages) => {
              wipe();
              return writer.send(...messages);
            },
          }
        : writer,
    end,
  };
}
