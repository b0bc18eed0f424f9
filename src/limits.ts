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

/** For `read`: whatever passes within minutes is waited out. */
export const PATIENT = {
  attempts: 6, // in all for anything but a rate limit, the first one included
  rateLimitMs: 15 * MINUTE, // for which rate limits (429) are waited out for one request
  deadlineMs: DEADLINE_MS, // of one attempt
  lastStartMs: Infinity, // after the start of the first attempt, by which the last one starts
  tokenWaitMs: 10 * MINUTE, // for which the issuance limit is waited out: as long as platforms bear, see `SILENCE_MS`
} as const;

/** How long a command bears with what may pass. */
export type Patience = Readonly<Record<keyof typeof PATIENT, number>>;

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
  staleMs: DEADLINE_MS + 15 * SECOND, // of one request and two small files written; held unchanged for longer, it is lost
  tombstoneStaleMs: 15 * SECOND, // it is held for a few calls in a row
  mostWaitMs: 2 * (DEADLINE_MS + 15 * SECOND), // beyond both of them lost something is wrong with the files themselves
  pollMs: 40,
  maxBytes: 4 * KIB, // of the file: what is larger was not written by us
} as const;

/** Requests for tokens. */
export const TOKEN = {
  latestIssueMs: DEADLINE_MS, // by which one that was noted may be issued: its request may be under way so long
  marginMs: DEADLINE_MS, // before its end at which it is renewed: a request that leaves with it has been answered by then
  renewAgainMs: DEADLINE_MS / 2, // after which a renewal that failed is tried again while the old one lives
  attempts: 3, // the first one included, and fewer where each may cost an issuance
  attemptsThatMayIssue: 2,
  baseMs: SECOND,
  mostBackoffMs: MINUTE,
  freshMs: 20 * SECOND, // refused again so soon after it replaced another, it was not outlived
  refusedMs: 3 * HOUR, // for which the refusal of one that was new is remembered: something may be granted since
  mostBytes: MIB, // of an answer of the token endpoint, and of the file that tokens are kept in
} as const;

const PAGE_BYTES = 64 * MIB;

/** One page of a list. */
export const PAGE = {
  mostBytes: PAGE_BYTES, // of its text, decoded
  mostItems: PAGE_BYTES / 64, // with more, one of the greatest size would take many times its size in rows
  mostPaginationBytes: 256 * KIB, // of what is parsed: a larger one could only hold a cursor that no request can carry
  maxAheadBytes: (PAGE_BYTES * 3) / 4, // of pages asked for ahead, of all lists together
} as const;

/** A state of a list that is read by cursors: all of it together stays below 256 KB. */
export const CURSOR_STATE = {
  maxSeen: 10_000, // fingerprints of emitted rows: beyond them rows may repeat
  maxRanges: 64, // of created time that are open
  maxCursorLength: 8192, // characters of one, and bytes of all; what is longer is not kept
  maxCursorBytes: 40_000,
  cursorLifeMs: HOUR, // for which a saved one is worth a try
} as const;

/** A config or a catalog, and the saved output that holds a state. */
export const INPUT = {
  maxBytes: 8 * MIB, // of a config, a catalog or one message with a state
  maxLineBytes: 4 * PAGE_BYTES, // of saved output: a row of the largest page whose every character became an escape
} as const;

/** What messages quote of an answer. */
export const QUOTED = { chars: 200, idChars: 100, maskedChars: 4 * KIB, decodedBytes: 64 * KIB } as const;
