import { EventEmitter, once, setMaxListeners } from 'node:events';
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
 * Bounds the pages that all lists of a process hold at once, received and not yet written: a list begins once the others leave room
 * below `maxBytes`. Lists with large pages are then read a few at a time. A list that has begun is never held up, so none waits for
 * another one that waits.
 */
export function createPageMemory(maxBytes: number) {
  const room = createRoom(maxBytes);
  return { openList: () => openList(room) };
}

type Room = ReturnType<typeof createRoom>;

/** The lists that are being read, and what they hold. */
function createRoom(maxBytes: number) {
  const reading = new Set<List>();
  const changes = new EventEmitter();
  // all lists wait for the same event
  setMaxListeners(0, changes);
  let largestBytes = 0; // of all pages
  /** What another list may hold: the lists of a service are alike. */
  const guess = (): number => 2 * (largestBytes === 0 ? PAGE.firstBytes : largestBytes);
  return {
    isFree: (): boolean => reading.size === 0 || heldBy(reading) + guess() <= maxBytes,
    /** Waits until there may be more room. Throws the signal's reason if aborted before. */
    change: (signal: AbortSignal) => once(changes, 'change', { signal }).catch(() => signal.throwIfAborted()),
    enter: (list: List): void => {
      list.heldBytes = guess();
      reading.add(list);
    },
    leave: (list: List): void => {
      reading.delete(list);
      changes.emit('change');
    },
    /** Takes note of a page of a list, with its size. */
    received: (list: List, bytes: number): void => {
      largestBytes = Math.max(largestBytes, bytes);
      list.largestBytes = Math.max(list.largestBytes, bytes);
      list.heldBytes = 2 * list.maxInFlight * list.largestBytes;
      changes.emit('change');
    },
  };
}

function heldBy(lists: ReadonlySet<List>): number {
  return [...lists].reduce((sum, { heldBytes }) => sum + heldBytes, 0);
}

function openList(room: Room) {
  const list: List = { heldBytes: 0, largestBytes: 0, inFlight: 0, maxInFlight: 0 };
  return {
    /** Resolves when the list may be read; calls `onWait` if it has to wait. Throws the signal's reason if aborted. */
    begin: async (signal: AbortSignal, onWait: () => Promise<void>): Promise<void> => {
      if (!room.isFree()) await onWait();
      while (!room.isFree()) await room.change(signal);
      room.enter(list);
    },
    end: () => room.leave(list),
    /** Sends a request of the list, and takes note of the size of its page. */
    request: async <T extends Pick<Page, 'rows'>>(send: () => Promise<T>): Promise<T> => {
      list.inFlight++;
      list.maxInFlight = Math.max(list.maxInFlight, list.inFlight);
      try {
        const page = await send();
        // rows are views of the whole body
        room.received(list, page.rows[0]?.bytes.length ?? 0);
        return page;
      } finally {
        list.inFlight--;
      }
    },
  };
}
