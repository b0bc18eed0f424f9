import { createChoices, type Choices } from '../../../acceptance-tests/simulation/choices.ts';
import type { FetchOffsetPage } from './pages.ts';
import type { OffsetPosition } from './place.ts';
import type { OffsetOutcome } from './outcome.ts';
import type { readOffsetList } from './read.ts';
import type { OffsetRead, Repeats } from './run.ts';
import type { World } from './world.fake.ts';
import { Endless, Killed, createWorldServer, type Line } from './world-server.fake.ts';

/** What came of reading a world. */
export interface Result {
  readonly code: OffsetOutcome['cause'] | 'rows are missing' | 'limited' | 'endless' | null;
  readonly requests: number;
  readonly lost: number; // rows that were in the list throughout, and were not emitted
  readonly lostLater: number; // of the rows that were in it from the head pass on
  readonly repeated: number; // rows emitted again without a notice
  readonly notices: readonly Repeats[];
  readonly resumed: number; // reads that began from a position
  readonly refused: readonly string[];
  readonly outcome: OffsetOutcome | null;
}

/** How a reader is called: for a comparison, another one can be given. */
export type Reader = typeof readOffsetList<Line>;

type Server = ReturnType<typeof createWorldServer>;

/** What the reads of a world have emitted so far. */
interface Reading {
  emitted: number[]; // keys
  position: OffsetPosition | null;
  repeated: number;
  resumed: number;
  readonly notices: Repeats[];
}

/** Reads a world, killed and resumed as it says, and compares what was emitted with what was in the list. */
export async function readWorld(world: World, seed: number, reader: Reader): Promise<Result> {
  const choices = createChoices(seed);
  const server = createWorldServer(world, choices);
  const reading: Reading = { emitted: [], position: null, repeated: 0, resumed: 0, notices: [] };
  for (const kill of [...world.kills, Infinity]) {
    server.begin(kill);
    try {
      const { outcome, later } = await readOnce(world, server, reading, reader, choices);
      return resultOf(world, server, reading, outcome, later);
    } catch (error) {
      if (error instanceof Endless) return resultOf(world, server, reading, null, []);
      if (!(error instanceof Killed)) throw error;
    }
  }
  throw new Error('the last read is not killed');
}

/** Reads until the end, or until the read is killed; `later`: the rows that were in the list when the head pass began. */
async function readOnce(world: World, server: Server, reading: Reading, reader: Reader, choices: Choices) {
  const { position, notices } = reading;
  if (position === null) {
    reading.emitted = [];
    server.restart();
  } else reading.resumed++;
  const before = new Set(reading.emitted);
  const lasting = new Set(server.lasting());
  const own = new Set<number>();
  const saved: [OffsetPosition | null, number][] = [[position, reading.emitted.length]];
  let isAnnounced = false;
  const onRepeats = async (reason: Repeats): Promise<void> => {
    notices.push(reason);
    isAnnounced = true;
    if (reason === 'rows are missing') own.clear();
    if (reason !== 'the place is gone') return;
    reading.emitted = [];
    server.restart();
    saved.splice(0, saved.length, [null, 0]);
  };
  let later: readonly number[] | null = null;
  try {
    const batches = reader(readOf(world, server.fetchPage, position, onRepeats));
    let next = await batches.next();
    for (; next.done !== true; next = await batches.next()) {
      const { pass, rows, state } = next.value;
      if (pass === 'head') later ??= server.lastFirst();
      for (const { row } of rows) {
        const id = world.keyOf(row);
        if (own.has(id) || (before.has(id) && lasting.has(row) && !isAnnounced)) reading.repeated++;
        own.add(id);
        reading.emitted.push(id);
      }
      if (state !== null) saved.push([state(), reading.emitted.length]);
    }
    return { outcome: next.value, later: later ?? [] };
  } catch (error) {
    // the last state may not have been written
    const [at, length] = saved.at(choices.chance(30) && saved.length > 1 ? -2 : -1) ?? [null, 0];
    reading.position = at;
    reading.emitted = reading.emitted.slice(0, length);
    throw error;
  }
}

/** Compares what was emitted with the list. */
function resultOf(
  world: World,
  server: Server,
  { emitted, repeated, resumed, notices }: Reading,
  outcome: OffsetOutcome | null,
  later: readonly number[],
): Result {
  const code = outcome === null ? 'endless' : codeOf(outcome);
  const found = new Set(emitted);
  const isLost = (row: number): boolean => code === null && !found.has(world.keyOf(row));
  const lost = server.lasting().filter(isLost).length;
  const lostLater = world.elsewhere > 0 ? 0 : server.still(later).filter(isLost).length;
  return { code, lost, lostLater, repeated, notices, resumed, outcome, ...server.counts() };
}

function readOf(
  { limit, concurrency, textOf, keyOf }: World,
  fetchPage: FetchOffsetPage<Line>,
  from: OffsetPosition | null,
  onRepeats: OffsetRead<Line>['onRepeats'],
): OffsetRead<Line> {
  return {
    fetchPage,
    limit,
    concurrency,
    from,
    onRepeats,
    keyOf: ({ row, text }) => (textOf(row, 0) === null ? String(keyOf(row)) : Buffer.from(text)),
    isSame: (one, other) => one.text === other.text,
    onClash: async () => undefined,
    maxAheadBytes: Infinity,
    signal: new AbortController().signal,
  };
}

/** What a finished read says, before any setting is considered. */
function codeOf({ cause, limitedAt, rows, copies, expected }: OffsetOutcome): Result['code'] {
  if (limitedAt !== null) return 'limited';
  return cause ?? (rows + copies < expected ? 'rows are missing' : null);
}
