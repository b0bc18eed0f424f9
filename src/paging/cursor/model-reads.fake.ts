import { MAX_INSTANT, MIN_INSTANT } from '../instant.ts';
import { readCursorList } from './cursor-read.ts';
import type { CursorStart, Failure } from './list.ts';
import { FORMAT, UNIT, ModelError, instantAt, type ModelRow, type ModelServer } from './model-server.fake.ts';

/** A state as it would be read again, with the texts of its times already read. */
export type ModelState = CursorStart;

/** What a person configures; times are in units. */
export interface ModelConfig {
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly lookback: number;
  readonly chains: number;
  readonly enough: number;
  readonly confirmsEnd: boolean;
}

export interface ModelBatch {
  readonly texts: readonly string[]; // of the emitted rows
  readonly state: ModelState;
  readonly said: readonly string[]; // warnings and messages since the last batch
  readonly isFinished: boolean;
}

/** Reads from a state; `turnsOf` is how many turns of the event queue each response takes, so that responses overtake each other. */
export async function* readModel(
  server: ModelServer,
  from: ModelState | null,
  { start, end, lookback, chains, enough, confirmsEnd }: ModelConfig,
  turnsOf: () => number,
): AsyncGenerator<ModelBatch> {
  const begin = start === undefined ? MIN_INSTANT : instantAt(start);
  let said: string[] = [];
  const note = async (words: string): Promise<void> => void said.push(words);
  const batches = readCursorList<ModelRow>({
    name: 'alarms',
    fetchPage: async (request) => {
      const page = answerOf(() => server.fetchPage(request));
      for (let turn = turnsOf(); turn > 0; turn--) await Promise.resolve();
      return page();
    },
    failureOf,
    createdOf: ({ created }) => ({ instant: instantAt(created), format: FORMAT }),
    textOf: ({ text }) => Buffer.from(text),
    isSame: (one, other) => one.text === other.text,
    start: begin,
    startText: null,
    end: end === undefined ? MAX_INSTANT : instantAt(end),
    info: note,
    warn: async (words) => note(`WARN ${words}`),
    signal: new AbortController().signal,
    from: from ?? {
      watermark: begin,
      coveredFrom: begin,
      ranges: [{ since: begin, until: MAX_INSTANT, cursor: null, origin: 'state' }],
      seen: [],
      format: FORMAT,
    },
    lookback: BigInt(lookback) * UNIT,
    chains,
    enough,
    confirmsEnd,
  });
  for await (const { rows, position, isFinished } of batches) {
    const ranges = position.ranges.map((range) => ({ ...range, origin: 'state' as const }));
    const state = { ...position, ranges, seen: position.seen() };
    yield { texts: rows.map(({ text }) => text), state, said, isFinished };
    said = [];
  }
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof ModelError)) return 'else';
  return error.message === 'refused' || error.message === 'late' ? error.message : 'else';
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
export function keyAlone({ watermark, coveredFrom, format }: ModelState): ModelState {
  const range = { since: watermark, until: MAX_INSTANT, cursor: null, origin: 'state' as const };
  return { watermark, coveredFrom, format, ranges: [range], seen: [] };
}
