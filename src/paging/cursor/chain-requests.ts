import { createLoopGuard } from '../loop-guard.ts';
import { startGroup } from '../request-group.ts';
import type { CursorList, CursorPage, Failure } from './list.ts';
import type { Chain, IssuedCursor } from './progress.ts';

/** The response to the request of a chain. */
export interface Answer<R> {
  readonly chain: number;
  readonly result:
    | { readonly page: CursorPage<R>; readonly isOld: boolean } // `isOld` if the cursor was too old to be trusted
    | { readonly failure: Failure; readonly error: unknown };
}

/** ms from one request to the next for which a cursor is trusted: servers keep them for five minutes or longer. */
const CURSOR_LIFE_MS = 4 * 60_000;

type Requested<R> = Pick<CursorList<R>, 'name' | 'fetchPage' | 'failureOf' | 'isSame' | 'signal'>;

/** Sends the requests of chains, one at a time for each chain, and returns the responses in the order of their arrival. */
export function createChainRequests<R>(list: Requested<R>) {
  let group = startGroup(list.signal);
  const guards = new Map<number, ReturnType<typeof createLoopGuard<R>>>();
  let arrived: Answer<R>[] = [];
  let wake: (() => void) | null = null;

  const receive = async (chain: Chain, mayBeOld: boolean): Promise<void> => {
    const result = await resultOf(list, chain, mayBeOld, group.signal);
    if (guards.has(chain.number)) arrived.push({ chain: chain.number, result });
    wake?.();
  };
  return {
    /**
     * Requests the next page of a chain: the first one, or the one of its cursor. Unless it `mayBeOld`, the request is not sent once the
     * cursor cannot be trusted any more.
     */
    send: (chain: Chain, mayBeOld: boolean): void => {
      const { number, next } = chain;
      if (!guards.has(number))
        guards.set(number, createLoopGuard(list.name, next?.after ?? null, list.isSame));
      void receive(chain, mayBeOld);
    },
    next: async (): Promise<Answer<R>> => {
      for (;;) {
        const answer = arrived.shift();
        if (answer !== undefined) return answer;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    /** Must be called with each page of a chain that is followed by another one; throws CURSOR_LOOP if the chain is endless. */
    guard: (chain: number, next: string, rows: readonly R[]): void => guards.get(chain)?.page(next, rows),
    /** Aborts the requests in flight; the chains so far get no further responses. */
    drop: (): void => {
      group.drop();
      group = startGroup(list.signal);
      guards.clear();
      arrived = [];
    },
  };
}

async function resultOf<R>(
  { fetchPage, failureOf }: Requested<R>,
  { createdSince, next, range }: Chain,
  mayBeOld: boolean,
  signal: AbortSignal,
): Promise<Answer<R>['result']> {
  const sendByMs = next === null || mayBeOld ? null : next.sentAtMs + CURSOR_LIFE_MS;
  try {
    const page = await fetchPage({ after: next?.after ?? null, createdSince, sendByMs }, signal);
    // a saved cursor may be one of a session that is over
    return { page, isOld: next !== null && (next === range.cursor || !isFresh(next, page.sentAtMs)) };
  } catch (error) {
    return { failure: failureOf(error), error };
  }
}

function isFresh({ sentAtMs }: IssuedCursor, nowMs: number): boolean {
  return nowMs >= sentAtMs && nowMs <= sentAtMs + CURSOR_LIFE_MS;
}
