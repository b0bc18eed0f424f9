/** A wait as those see it who tell people about it. */
export interface Waiting {
  readonly reason: string;
  /** True if a limit of the API is waited out. */
  readonly rateLimited: boolean;
  /** ms that will be waited. */
  readonly waitMs: number;
}

/** What whoever asks for something hands down with each request. */
export interface RequestContext {
  /** Ends the request and all waiting for it. */
  readonly signal: AbortSignal;
  /** Told before each wait. */
  readonly onWait: (waiting: Waiting) => Promise<void>;
}
