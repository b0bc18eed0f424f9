import type { OpenChain } from '../paging/cursor-read.ts';
import { ownTime, timeIn } from './own-time.ts';

/** ms for which a saved cursor is worth a try. */
const CURSOR_LIFE_MS = 60 * 60 * 1000;

/** A chain as it stands in a state, at its top or in one of its ranges. */
interface ChainState {
  after?: string;
  after_saved_at?: string;
  chain_since?: string | null;
  chain_newest?: string;
}

export function chainState({ after, createdSince, newest }: OpenChain, nowMs: number): ChainState {
  return {
    after,
    after_saved_at: new Date(nowMs).toISOString(),
    chain_since: createdSince,
    ...(newest === undefined ? {} : { chain_newest: ownTime(newest) }),
  };
}

/** The chain in a state, if there is one that is young enough to be tried. */
export function chainFrom(
  saved: ChainState,
  startedText: string | undefined,
  nowMs: number,
): OpenChain | null {
  const { after, after_saved_at: savedAt, chain_since: createdSince, chain_newest: newestText } = saved;
  if (after === undefined || savedAt === undefined || startedText === undefined) return null;
  const age = nowMs - Date.parse(savedAt);
  if (!(age >= 0 && age < CURSOR_LIFE_MS)) return null;
  return {
    after,
    createdSince: createdSince ?? null,
    started: timeIn('read_started', startedText).instant,
    newest: newestText === undefined ? undefined : timeIn('chain_newest', newestText).instant,
  };
}
