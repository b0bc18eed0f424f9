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

/** For `read`, which waits out failures of a few minutes. The times hold for each list, and for the token endpoint. */
export const READ_BUDGET = {
  failureMs: 5 * MINUTE, // for failures that may pass, since the last success; rate limits do not count
  firstFailureMs: MINUTE, // the same before the first page of a run: an address may be mistyped
  rateLimitMs: 15 * MINUTE, // maximum wait for rate limits (429) and `Retry-After` per request
  deadlineMs: DEADLINE_MS, // of one attempt
  tokenWaitMs: 10 * MINUTE, // maximum wait for the issuance limit
} as const;

/** How long a command keeps trying. */
export type RetryBudget = Readonly<Record<keyof typeof READ_BUDGET, number>>;

/** For `check` and `discover`: a person waits for the result. */
export const INTERACTIVE_BUDGET = {
  failureMs: MINUTE / 2,
  firstFailureMs: MINUTE / 2,
  rateLimitMs: 10 * SECOND,
  deadlineMs: DEADLINE_MS / 2,
  tokenWaitMs: MINUTE,
} as const satisfies RetryBudget;

/** ms for which a cursor that the server fails to process (500) is tried again, as some do with one that has expired. */
export const BROKEN_CURSOR_MS = MINUTE / 2;

/** ms of waits after which a refusal, or a response of another shape than a page, is no accident of a gateway. */
export const BRIEF_ANSWER_MS = 2 * SECOND;

/** ms of waits in which a list may send whole pages that cannot be read, as while a new version is deployed; then they are its answer. */
export const LASTING_ANSWER_MS = 20 * SECOND;

export const CONNECTION = {
  attemptMs: 5 * SECOND, // to connect to one of several addresses of a host, before the next one is tried
  maxPerHost: 32, // open at once
  maxHeaderBytes: 128 * KIB, // of a response; as much as curl accepts
  reasonMs: SECOND, // for the body of a refusal by a proxy
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
  maxWaitMs: 2 * (DEADLINE_MS + 15 * SECOND), // longer than a lock takes to become stale, and a request after it
  pollMs: 40,
  reportMs: 2 * SECOND, // a wait for a lock that takes longer is reported
  maxAbsences: 50, // attempts to create a lock that neither succeed nor find one
  maxBytes: 4 * KIB, // of the file; a larger one is not ours
} as const;

export const TOKEN = {
  latestIssueMs: DEADLINE_MS, // after it was logged, a request may still be in flight and issue a token
  marginMs: DEADLINE_MS, // before its end a token is renewed, so that requests in flight with it complete
  renewAgainMs: DEADLINE_MS / 2, // pause after a failed renewal while the old token is alive
  maxCut: 2, // requests without a response, each of which may cost an issuance
  cutWaitMs: MINUTE, // before the next request after one of them, so that it is not spent in the same outage
  endedWaitMs: SECOND, // before the next request after a token without any validity: lifetimes are whole seconds
  limitBaseMs: SECOND, // waits for the issuance limit grow exponentially from it
  maxLimitMs: MINUTE,
  settleMs: 10 * SECOND, // for which a new token may not be valid yet, because the clock of the service is slow
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

/** The maximum of `lookback_seconds`, as in spec.json. */
export const MAX_LOOKBACK_SECONDS = 30 * 86_400;

/** A config, catalog or state file. */
export const INPUT = {
  maxBytes: 8 * MIB, // of a config, a catalog or one message with a state
  maxLineBytes: 4 * PAGE_BYTES, // of saved output: a row as large as the largest page, with every character escaped
} as const;

/** What messages quote from a response. */
export const QUOTED = { chars: 200, idChars: 100, maskedChars: 4 * KIB, decodedBytes: 64 * KIB } as const;
