/*
 * Every deadline, budget, age and cap that other limits depend on. Limits that follow from others are computed from them;
 * limits.test.ts checks the rest. A constant that affects only its own file stays there.
 */
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const KIB = 1024;
const MIB = 1024 * KIB;

const DEADLINE_MS = MINUTE; // ms for one exchange: connect, headers and the whole body

/** For `read`, which waits out failures of a few minutes. */
export const READ_BUDGET = {
  attempts: 6, // per request, including the first; rate limits do not count
  rateLimitMs: 15 * MINUTE, // maximum wait for rate limits (429) per request
  deadlineMs: DEADLINE_MS, // of one attempt
  lastStartMs: Infinity, // latest start of an attempt, since the start of the first
  tokenWaitMs: 10 * MINUTE, // maximum wait for the issuance limit
} as const;

/** How long a command keeps trying. */
export type RetryBudget = Readonly<Record<keyof typeof READ_BUDGET, number>>;

/** For `check` and `discover`: a person waits for the result, so a request takes no longer than one deadline of `read`. */
export const INTERACTIVE_BUDGET = {
  attempts: 3,
  rateLimitMs: 10 * SECOND,
  deadlineMs: DEADLINE_MS / 2,
  lastStartMs: DEADLINE_MS / 2,
  tokenWaitMs: MINUTE,
} as const satisfies RetryBudget;

export const CONNECTION = {
  attemptMs: 5 * SECOND, // to connect to one of several addresses of a host, before the next one is tried
  maxPerHost: 32, // open at once
} as const;

/** Waits between attempts grow exponentially from `baseMs`. */
export const BACKOFF = { baseMs: SECOND / 2, maxMs: 30 * SECOND, maxRateLimitMs: MINUTE } as const;

/** ms in which at most `max_requests_per_minute` requests start; the margin covers varying network latency. */
export const LIMITER_WINDOW_MS = MINUTE + SECOND / 4;

/** ms between two messages about one long wait. */
export const WAIT_REPORT_MS = MINUTE;
/** ms without output after which the last state is written again, because platforms stop processes that stay silent. */
export const SILENCE_MS = 5 * MINUTE;
/** Seconds between two states of a stream. */
export const STATE_SECONDS = { default: 5, max: 15 } as const;

/** The file lock around a token request. */
export const LOCK = {
  staleMs: DEADLINE_MS + 15 * SECOND, // age of an abandoned lock: its holder sends one request and writes two small files
  tombstoneStaleMs: 15 * SECOND, // held for a few consecutive calls only
  maxWaitMs: 2 * (DEADLINE_MS + 15 * SECOND), // longer than a stale lock and a stale tombstone together
  pollMs: 40,
  reportMs: 2 * SECOND, // a wait for a lock that takes longer is reported
  maxAbsences: 50, // attempts to create a lock that neither succeed nor find one
  maxBytes: 4 * KIB, // of the file; a larger one is not ours
} as const;

export const TOKEN = {
  latestIssueMs: DEADLINE_MS, // after it was logged, a request may still be in flight and issue a token
  marginMs: DEADLINE_MS, // before its end a token is renewed, so that requests in flight with it complete
  renewAgainMs: DEADLINE_MS / 2, // pause after a failed renewal while the old token is alive
  attempts: 3, // including the first
  attemptsThatMayIssue: 2, // if each may cost an issuance
  baseMs: SECOND,
  maxBackoffMs: MINUTE,
  freshMs: 20 * SECOND, // a replacement rejected within this time is not replaced again
  limitMs: HOUR, // after a 429 without `Retry-After`
  refusedMs: 3 * HOUR, // for which the refusal of a new token is remembered; permissions may be granted later
  maxBytes: MIB, // of a response of the token endpoint, and of the cache file
} as const;

const PAGE_BYTES = 64 * MIB;

export const PAGE = {
  maxBytes: PAGE_BYTES, // of its text, decoded
  maxItems: PAGE_BYTES / 64, // more rows would take many times the memory of the largest page
  maxPaginationBytes: 256 * KIB, // of `metadata.pagination`: more could only be a cursor that is too long for any request
  maxAheadBytes: (PAGE_BYTES * 3) / 4, // of pages prefetched for all lists together
  maxHeldBytes: PAGE_BYTES, // of pages that all lists together hold; a list that would exceed it waits for its turn
  firstBytes: PAGE_BYTES / 8, // assumed size of a page before any has arrived
} as const;

/** A state of a list that is read by cursors; the whole state stays below 256 KB. */
export const CURSOR_STATE = {
  maxSeen: 10_000, // rows that were emitted; others may be repeated
  lastReceived: 2000, // rows that are kept whatever their created time
} as const;

/** A config, catalog or state file. */
export const INPUT = {
  maxBytes: 8 * MIB, // of a config, a catalog or one message with a state
  maxLineBytes: 4 * PAGE_BYTES, // of saved output: a row as large as the largest page, with every character escaped
} as const;

/** What messages quote from a response. */
export const QUOTED = { chars: 200, idChars: 100, maskedChars: 4 * KIB, decodedBytes: 64 * KIB } as const;
