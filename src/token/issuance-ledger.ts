import type { Issuances as Kept } from '../generated/token-cache.generated.ts';
import { TOKEN } from '../limits.ts';
import type { TokenRules } from './token-rules.ts';

/** When tokens of one audience were asked for, and when the endpoint last refused one because of its limit. */
export type Issuances = Readonly<Omit<Kept, 'times'>> & {
  /** Local time of each request, ms since the epoch, ascending. */
  readonly times: readonly number[];
};

export const NONE_ISSUED: Issuances = { times: [], refusedUntilMs: 0 };

/**
 * The local time, ms since the epoch, from which a token may be asked for without exceeding the documented limit (API
 * document 8): so many in any window, the present moment included. Not later than one window from now, whatever a
 * clock that was wrong has written down.
 */
export function nextIssuance(issued: Issuances, rules: TokenRules, nowMs: number): number {
  const { times, refusedUntilMs } = current(issued, rules, nowMs);
  const oldest = times.at(-rules.issuances);
  return Math.max(nowMs, refusedUntilMs, oldest === undefined ? 0 : oldest + heldMs(rules));
}

/** The ledger with one issuance more; what has left the window is forgotten. */
export function withIssuance(issued: Issuances, rules: TokenRules, nowMs: number): Issuances {
  const { times, refusedUntilMs } = current(issued, rules, nowMs);
  return { times: [...times, nowMs], refusedUntilMs };
}

/** The ledger without the issuance at that time: the endpoint has shown that none took place. */
export function withoutIssuance(issued: Issuances, atMs: number): Issuances {
  return { ...issued, times: without(issued.times, atMs) };
}

/**
 * The ledger after the endpoint said that its limit is reached (429). It knows of issuances that we do not: the window
 * is full, so the next token comes when `Retry-After` says so, else when the oldest issuance that we know leaves the
 * window, else after a whole window.
 */
export function withRefusal(
  issued: Issuances,
  rules: TokenRules,
  retryAfterMs: number | undefined,
  nowMs: number,
): Issuances {
  const { times } = current(issued, rules, nowMs);
  const untilMs = retryAfterMs === undefined ? (times[0] ?? nowMs) + heldMs(rules) : nowMs + retryAfterMs;
  return { times, refusedUntilMs: untilMs };
}

/** What two ledgers of the same audience know together: a time stands as often as in the one where it stands most often. */
export function mergedIssuances(a: Issuances, b: Issuances): Issuances {
  const onlyInB = a.times.reduce<readonly number[]>((rest, time) => without(rest, time), b.times);
  const times = [...a.times, ...onlyInB].toSorted((one, other) => one - other);
  return { times, refusedUntilMs: Math.max(a.refusedUntilMs, b.refusedUntilMs) };
}

/** What still counts; times ahead of the clock, which was set back since, count as now. */
function current({ times, refusedUntilMs }: Issuances, rules: TokenRules, nowMs: number): Issuances {
  const recent = times.filter((time) => time > nowMs - heldMs(rules));
  return {
    times: recent.map((time) => Math.min(time, nowMs)),
    refusedUntilMs: Math.min(refusedUntilMs, nowMs + heldMs(rules)),
  };
}

/** ms for which a request counts: it is noted before it is sent, and may issue a token, even unseen, some time later. */
function heldMs({ windowMs }: TokenRules): number {
  return windowMs + TOKEN.latestIssueMs;
}

function without(times: readonly number[], time: number): readonly number[] {
  const index = times.lastIndexOf(time);
  return index === -1 ? times : times.toSpliced(index, 1);
}
