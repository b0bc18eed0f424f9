import type { LogEntry } from '../client-types.ts';
import type { Cell } from './list-history.ts';

/** A pause of this length between two requests separates two reads. */
export const pauseMs = 10_000;

/** A request with its number: 0 for the first one since the log was cleared. */
export interface Numbered extends LogEntry {
  readonly number: number;
}

/** A page of the assets list, laid over the cells. */
export interface PageOverCells {
  /** The number of the request. */
  readonly number: number;
  readonly offset: number;
  readonly rows: number;
  /** The cells whose rows it brought, as ranges: first cell, and the one after the last. */
  readonly ranges: readonly (readonly [number, number])[];
}

/** What the last read has brought of the assets list. */
export interface Coverage {
  /** For each cell, how many pages held its row. */
  readonly reads: readonly number[];
  readonly pages: readonly PageOverCells[];
}

/**
 * Lays the pages of the last read over the cells: each page covers the rows that it held when it was answered, wherever
 * they stand by now. Requests of before the mark `from` are passed over, since the list of that time is not known.
 */
export function coverage(cells: readonly Cell[], requests: readonly Numbered[], from: number): Coverage {
  const reads = cells.map(() => 0);
  const pages = lastRead(requests)
    .map((request) => ({ ...request, offset: Number(request.query['offset'] ?? 0) }))
    .filter(({ mark, rows, offset }) => mark >= from && rows > 0 && offset < cells.length)
    .map(({ number, offset, rows, mark }): PageOverCells => {
      const ranges: [number, number][] = [];
      let position = 0;
      for (const [index, { birth, death }] of cells.entries()) {
        if (birth > mark || death <= mark) continue;
        if (position >= offset + rows) break;
        if (position >= offset) {
          reads[index] = (reads[index] ?? 0) + 1;
          const last = ranges.at(-1);
          if (last?.[1] === index) last[1] = index + 1;
          else ranges.push([index, index + 1]);
        }
        position += 1;
      }
      return { number, offset, rows, ranges };
    });
  return { reads, pages };
}

/** The requests to the assets list since the last pause. */
function lastRead(requests: readonly Numbered[]): Numbered[] {
  const assets = requests.filter(({ endpoint }) => endpoint === 'assets');
  const pause = assets.findLastIndex(
    ({ at }, index) => index > 0 && Date.parse(at) - endOf(assets[index - 1]) > pauseMs,
  );
  return assets.slice(Math.max(0, pause));
}

function endOf(request: LogEntry | undefined): number {
  return request === undefined ? 0 : Date.parse(request.at) + request.ms;
}
