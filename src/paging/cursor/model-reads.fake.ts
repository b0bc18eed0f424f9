import { MAX_INSTANT, MIN_INSTANT, type Instant, type TimeFormat } from '../instant.ts';
import type { Limit } from '../page-size.ts';
import { ORDINARY, type Counts, type CursorPosition, type Failure, type Tuning } from './list.ts';
import { UNIT, ModelError, instantAt, type ModelRow, type ModelServer } from './model-server.fake.ts';
import { readCursorList } from './read.ts';
import { positionAt } from './reading.ts';

/** A state as it would be read again, with the texts of its times already read. */
export interface ModelState extends CursorPosition {
  readonly readAt: Instant | null; // up to when the last finished read has seen the list
  readonly floor: Instant; // `MIN_INSTANT` unless a person wrote it
}

/** What a person configures; times are in units. */
export interface ModelConfig {
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly lookback: number;
  readonly chains: number;
  readonly pageSize: Limit;
  readonly limit: number | undefined;
  readonly format: TimeFormat; // of the created times
  readonly startFormat?: TimeFormat; // in which the start is written, if it is another one
  readonly tuning: Partial<Tuning>;
}

export interface ModelBatch {
  readonly texts: readonly string[]; // of the emitted rows
  /** Returns the state, as it would be written; a state that is left is read once more, as from a file. */
  readonly state: () => ModelState & { readonly isFull: boolean };
  readonly said: readonly string[]; // since the last batch
  readonly counts: Counts;
  readonly remembered: number; // receipts
  readonly end: 'finished' | 'limited' | null;
}

/** A state of a read that has not begun. */
export const NO_STATE: ModelState = {
  question: MIN_INSTANT,
  confirmed: MIN_INSTANT,
  seen: [],
  ahead: [],
  format: null,
  leftOut: null,
  readAt: null,
  floor: MIN_INSTANT,
};

/** How long a response takes. */
export type Delay = () => Promise<void>;

export const NO_DELAY: Delay = async () => {};

/** Returns a delay of some turns of the event queue, drawn anew for each response, so that responses overtake each other. */
export function turns(countOf: () => number): Delay {
  return async () => {
    for (let turn = countOf(); turn > 0; turn--) await Promise.resolve();
  };
}

/** Reads from a state. */
export async function* readModel(
  server: ModelServer,
  from: ModelState,
  { start, end, lookback, chains, pageSize, limit, format, startFormat, tuning }: ModelConfig,
  delay: Delay,
): AsyncGenerator<ModelBatch> {
  let said: string[] = [];
  const batches = readCursorList<ModelRow>({
    endlessError: ({ cause }) => new Error(cause),
    pageSize,
    fetchPage: async (request, signal) => {
      const page = answerOf(() => server.fetchPage(request, signal));
      await delay();
      return page();
    },
    failureOf,
    createdOf: ({ created }) => (created === null ? undefined : { instant: instantAt(created), format }),
    textOf: ({ text }) => Buffer.from(text),
    isSame: (one, other) => one.text === other.text,
    start: start === undefined ? MIN_INSTANT : instantAt(start),
    startFormat: start === undefined ? null : (startFormat ?? format),
    end: end === undefined ? MAX_INSTANT : instantAt(end),
    signal: new AbortController().signal,
    from,
    lookback: BigInt(lookback) * UNIT,
    maxChains: chains,
    maxRows: limit ?? Infinity,
    tuning: { ...ORDINARY, ...tuning },
    say: async (event) =>
      void said.push(event.kind === 'order broken' && !event.wasProven ? 'no order' : event.kind),
  });
  for await (const { rows, moment, counts, end: how } of batches) {
    const texts = rows.map(({ text }) => text);
    const readAt = how?.kind === 'finished' ? how.readAt : null;
    const state = () => {
      const position = positionAt(moment);
      // only the question shows how its time was written
      const isAsked = position.question > MIN_INSTANT;
      return { ...position, format: isAsked ? position.format : null, readAt, floor: MIN_INSTANT };
    };
    if (how?.kind === 'finished' && how.unreturned > 0) said.push('unreturned');
    yield { texts, state, said, counts, remembered: moment.receipts.length, end: how?.kind ?? null };
    said = [];
  }
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof ModelError)) return 'else';
  const failures: readonly Failure[] = ['refused', 'broke', 'late', 'large'];
  return failures.find((failure) => failure === error.message) ?? 'else';
}

/** Calls a function now, and returns or throws its result later. */
function answerOf<T>(call: () => T): () => T {
  try {
    const value = call();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** The state of which only `created_since` is left, as a person may keep it. */
export function keyAlone(state: ModelState): ModelState {
  return { ...state, seen: [], ahead: [] };
}
