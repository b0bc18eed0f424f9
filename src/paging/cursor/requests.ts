import { BROKEN_CURSOR_MS } from '../../limits.ts';
import { createLoopGuard } from '../loop-guard.ts';
import { limitsFrom, type PageSize } from '../page-size.ts';
import { startGroup } from '../request-group.ts';
import type { BoundOrigin, CursorList, CursorPage, Failure, PageRequest } from './list.ts';

/** What is requested next in a chain. */
export interface Asked {
  readonly number: number; // of the chain
  readonly createdSince: string | null;
  readonly boundFrom: BoundOrigin;
  readonly cursor: IssuedCursor | null; // null for the first page
  readonly mayBeOld: boolean; // otherwise the request is not sent once the cursor cannot be trusted any more
  readonly mayBeBroken: boolean; // a 500 that persists is taken for an expired cursor
  readonly isFront: boolean;
  readonly limitAfter: PageRequest['limitAfter'];
}

/** A cursor, and the local time of the request that returned it, in ms since the epoch. */
export interface IssuedCursor {
  readonly after: string;
  readonly sentAtMs: number;
}

/** The response to the request of a chain. */
export interface Answer<R> {
  readonly chain: number;
  readonly result:
    | { readonly page: CursorPage<R>; readonly isOld: boolean } // `isOld` if the cursor was too old to be trusted
    | { readonly failure: Failure; readonly error: unknown };
}

/** ms from sending the request that returned a cursor to sending the one that uses it: servers keep cursors for five minutes or longer. */
const CURSOR_LIFE_MS = 4 * 60_000;

/** A request that belongs to no chain. */
const PROBE = {
  boundFrom: 'rows',
  cursor: null,
  mayBeOld: true,
  mayBeBroken: false,
  isFront: false,
} as const;

type Requested<R> = Pick<CursorList<R>, 'endlessError' | 'fetchPage' | 'failureOf' | 'isSame' | 'signal'>;

/** Sends the requests of chains, one at a time for each chain, and returns the responses in the order of their arrival. */
export function createRequests<R>(list: Requested<R>) {
  const group = startGroup(list.signal);
  const guards = new Map<number, ReturnType<typeof createLoopGuard<R>>>();
  const arrived: Answer<R>[] = [];
  let wake: (() => void) | null = null;

  const receive = async (asked: Asked): Promise<void> => {
    arrived.push({ chain: asked.number, result: await resultOf(list, asked, group.signal) });
    wake?.();
  };
  return {
    /** Requests the next page of a chain. */
    send: (asked: Asked): void => void receive(asked),
    next: async (): Promise<Answer<R>> => {
      for (;;) {
        const answer = arrived.shift();
        if (answer !== undefined) return answer;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    /** Must be called with each page of a chain that is followed by another one; throws `endlessError` if the chain is endless. */
    guard: (chain: number, page: CursorPage<R>): void => {
      const guard = guards.get(chain) ?? createLoopGuard(list, null);
      guards.set(chain, guard);
      guard.page(page.next ?? '', page);
    },
    /** Returns the first page for a bound (null for none), which no chain will follow; null if the server refuses it. */
    probe: async (createdSince: string | null, size: PageSize): Promise<CursorPage<R> | null> => {
      const result = await resultOf(
        list,
        { ...PROBE, createdSince, limitAfter: limitsFrom(size) },
        group.signal,
      );
      if ('page' in result) return result.page;
      if (result.failure === 'refused') return null;
      throw result.error;
    },
    /** Aborts the requests in flight. */
    stop: (): void => group.drop(),
  };
}

async function resultOf<R>(
  { fetchPage, failureOf }: Requested<R>,
  { createdSince, boundFrom, cursor, mayBeOld, mayBeBroken, isFront, limitAfter }: Omit<Asked, 'number'>,
  signal: AbortSignal,
): Promise<Answer<R>['result']> {
  const sendByMs = cursor === null || mayBeOld ? null : cursor.sentAtMs + CURSOR_LIFE_MS;
  try {
    const after = cursor?.after ?? null;
    const serverErrorMs = mayBeBroken && cursor !== null ? BROKEN_CURSOR_MS : null;
    const mayBeRefused = cursor !== null || !isFront;
    const asked = { after, createdSince, boundFrom, sendByMs, serverErrorMs, mayBeRefused, limitAfter };
    const page = await fetchPage(asked, signal);
    return { page, isOld: cursor !== null && !isFresh(cursor, page.sentAtMs) };
  } catch (error) {
    return { failure: failureOf(error), error };
  }
}

/** False too if the local clock was set back. */
function isFresh({ sentAtMs }: IssuedCursor, nowMs: number): boolean {
  return nowMs >= sentAtMs && nowMs <= sentAtMs + CURSOR_LIFE_MS;
}
