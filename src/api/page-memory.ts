import { EventEmitter, once } from 'node:events';
import { PAGE } from '../limits.ts';
import type { Page } from '../rows/page.ts';

export type PageMemory = ReturnType<typeof createPageMemory>;
/** The memory of one list. */
export type ListMemory = ReturnType<PageMemory['openList']>;

interface List {
  heldBytes: number; // at most: two pages for each request in flight; a guess until the first page
  largestBytes: number; // of its pages; 0 until the first one
  inFlight: number;
  maxInFlight: number;
}

/**
 * Bounds the pages that all lists of a process hold at once, received and not yet written: a list waits for its turn while others
 * hold `maxBytes`. Lists with large pages are then read a few at a time. A list that has its turn is never held up, so none waits
 * for another one that waits.
 */
export function createPageMemory(maxBytes: number) {
  const turns = createTurns(maxBytes);
  return { openList: () => openList(turns) };
}

type Turns = ReturnType<typeof createTurns>;

/** The lists that are being read, and those that wait. */
function createTurns(maxBytes: number) {
  const reading = new Set<List>();
  let waiting: EventEmitter[] = [];
  let largestBytes = 0; // of all pages
  /** What another list may hold: the lists of a service are alike. */
  const guess = (): number => 2 * (largestBytes === 0 ? PAGE.firstBytes : largestBytes);
  const hasRoom = (): boolean => reading.size === 0 || heldBy(reading) + guess() <= maxBytes;
  const admit = (): void => {
    while (waiting.length > 0 && hasRoom()) waiting.shift()?.emit('turn');
  };
  const begin = (list: List): void => {
    list.heldBytes = guess();
    reading.add(list);
  };
  const end = (list: List): void => {
    reading.delete(list);
    admit();
  };
  return {
    isFree: () => waiting.length === 0 && hasRoom(),
    begin,
    end,
    /** Waits for the turn of a list, in the order of the calls. Throws the signal's reason if aborted before. */
    wait: async (list: List, signal: AbortSignal): Promise<void> => {
      const turn = new EventEmitter();
      turn.once('turn', () => begin(list));
      waiting.push(turn);
      try {
        await once(turn, 'turn', { signal });
      } catch {
        waiting = waiting.filter((other) => other !== turn);
        end(list);
        signal.throwIfAborted();
      }
    },
    /** Takes note of a page of a list, with its size. */
    received: (list: List, bytes: number): void => {
      largestBytes = Math.max(largestBytes, bytes);
      list.largestBytes = Math.max(list.largestBytes, bytes);
      list.heldBytes = 2 * list.maxInFlight * list.largestBytes;
      admit();
    },
  };
}

function heldBy(lists: ReadonlySet<List>): number {
  return [...lists].reduce((sum, { heldBytes }) => sum + heldBytes, 0);
}

function openList(turns: Turns) {
  const list: List = { heldBytes: 0, largestBytes: 0, inFlight: 0, maxInFlight: 0 };
  return {
    /** Resolves when the list may be read; calls `onWait` before it waits. Throws the signal's reason if aborted. */
    begin: async (signal: AbortSignal, onWait: () => Promise<void>): Promise<void> => {
      if (turns.isFree()) {
        turns.begin(list);
        return;
      }
      await Promise.all([turns.wait(list, signal), onWait()]);
    },
    end: () => turns.end(list),
    /** Sends a request of the list, and takes note of the size of its page. */
    request: async <T extends Pick<Page, 'rows'>>(send: () => Promise<T>): Promise<T> => {
      list.inFlight++;
      list.maxInFlight = Math.max(list.maxInFlight, list.inFlight);
      try {
        const page = await send();
        // rows are views of the whole body
        turns.received(list, page.rows[0]?.bytes.length ?? 0);
        return page;
      } finally {
        list.inFlight--;
      }
    },
  };
}
