/*
 * Every deadline, budget, age and cap that something else rests on, in one place: what follows from another is computed from
 * it, and limits.test.ts holds the rest against one another. What only tunes one file's own work stays in that file.
 */
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const KIB = 1024;
const MIB = 1024 * KIB;

/** ms for one exchange: connect, headers and the whole body. */
const DEADLINE_MS = MINUTE;

/** How long a command bears with what may pass. */
export interface Patience {
  /** Attempts in all for anything but a rate limit, the first one included. */
  readonly attempts: number;
  /** ms that rate limits (429) are waited out for one request. */
  readonly rateLimitMs: number;
  /** ms for one attempt. */
  readonly deadlineMs: number;
  /** ms after the start of the first attempt at which the last one may start; null for no bound. */
  readonly lastStartMs: number | null;
  /** ms that the issuance limit of tokens is waited out: as long as platforms bear, see `SILENCE_MS`. */
  readonly tokenWaitMs: number;
}

/** For `read`: whatever passes within minutes is waited out. */
export const PATIENT = {
  attempts: 6,
  rateLimitMs: 15 * MINUTE,
  deadlineMs: DEADLINE_MS,
  lastStartMs: null,
  tokenWaitMs: 10 * MINUTE,
} as const satisfies Patience;

/** For `check` and `discover`: a person waits for the answer, as long as one deadline of a `read` for one request. */
export const PROMPT = {
  attempts: 3,
  rateLimitMs: 10 * SECOND,
  deadlineMs: DEADLINE_MS / 2,
  lastStartMs: DEADLINE_MS / 2,
  tokenWaitMs: MINUTE,
} as const satisfies Patience;

/** The waits before another attempt: exponential from `baseMs`, at most `mostMs`. */
export const BACKOFF = { baseMs: SECOND / 2, mostMs: 30 * SECOND, rateLimitMostMs: MINUTE } as const;

/** ms in which no more than `max_requests_per_minute` start: requests take a little time to arrive, and not always the same. */
export const LIMITER_WINDOW_MS = MINUTE + SECOND / 4;

/** ms between two words about one long wait. */
export const WAIT_TOLD_EVERY_MS = MINUTE;
/** ms without a row or a state after which the last state is written again: platforms end what is silent for long. */
export const SILENCE_MS = 5 * MINUTE;
/** Seconds between two states of a stream: where nothing else is said, and the most that may be asked for. */
export const STATE_SECONDS = { usual: 5, most: 15 } as const;

/** The file lock around a token request. */
export const LOCK = {
  /** ms for which one holder may have it: one request, and the writing of two small files. Held unchanged for longer, it is lost. */
  staleMs: DEADLINE_MS + 15 * SECOND,
  /** ms for its tombstone, which is held for a few calls in a row. */
  tombstoneStaleMs: 15 * SECOND,
  /** ms that it is waited for: beyond a lost lock and its lost tombstone something is wrong with the files themselves. */
  mostWaitMs: 2 * (DEADLINE_MS + 15 * SECOND),
  pollMs: 40,
} as const;

/** Requests for tokens. */
export const TOKEN = {
  /** ms by which one that was noted may be issued later: as long as its request may be under way. */
  latestIssueMs: DEADLINE_MS,
  /** ms before its end, at least, at which it is renewed: a request that leaves with it has been answered by then. */
  marginMs: DEADLINE_MS,
  /** ms after which a renewal that failed is tried again while the old one still lives. */
  renewAgainMs: DEADLINE_MS / 2,
  /** Attempts, the first one included: fewer where each may cost an issuance. */
  attempts: 3,
  attemptsThatMayIssue: 2,
  baseMs: SECOND,
  mostBackoffMs: MINUTE,
  /** ms for which one counts as fresh: refused again so soon after it replaced another, it was not outlived. */
  freshMs: 20 * SECOND,
  /** ms for which the refusal of one that was new is remembered: something may have been granted since. */
  refusedMs: 3 * HOUR,
  /** Bytes of an answer of the token endpoint, and of the file that tokens are kept in. */
  mostBytes: MIB,
} as const;

const PAGE_BYTES = 64 * MIB;

/** One page of a list. */
export const PAGE = {
  /** Bytes of its text, decoded. */
  mostBytes: PAGE_BYTES,
  /** Items: with more, one of the greatest size would have rows of less than 64 bytes, and take many times its size. */
  mostItems: PAGE_BYTES / 64,
  /** Bytes of its pagination object, which is parsed: a larger one could only hold a cursor that no request can carry. */
  mostPaginationBytes: 256 * KIB,
  /** Bytes of pages that are asked for ahead at most, as far as the pages so far tell how large they are. */
  mostAheadBytes: (PAGE_BYTES * 3) / 4,
} as const;

/** A state of alarms: all of it together stays below 256 KB. */
export const ALARMS_STATE = {
  /** Fingerprints of emitted rows: beyond them rows may repeat. */
  mostSeen: 10_000,
  /** Ranges of created time that are open. */
  mostRanges: 64,
  /** Characters of one cursor, and bytes of all of them; what is longer is not kept. */
  longestCursor: 8192,
  mostCursorBytes: 40_000,
  /** ms for which a saved cursor is worth a try. */
  cursorLifeMs: HOUR,
} as const;

/** What messages quote of an answer. */
export const QUOTED = { chars: 200, idChars: 100, decodedBytes: 64 * KIB } as const;
