import { createChoices, type Choices } from '../../../acceptance-tests/simulation/choices.ts';
import { isConnectorError } from '../../errors.ts';
import type { OffsetOutcome } from './outcome.ts';
import type { readOffsetList } from './read.ts';
import type { OffsetPosition } from './place.ts';
import type { Notice, OffsetRead } from './run.ts';
import { createPageFetch } from './accepted-size.ts';
import { pageSizeOf, type World } from './world.fake.ts';
import { readOf } from './at-rest.fake.ts';
import { Endless, Killed, createWorldServer, type Line } from './world-server.fake.ts';

/** What came of reading a world. */
export interface Result {
  readonly code: string | null; // why the read failed
  readonly requests: number; // apart from those of refused sizes
  readonly refusedSizes: number; // requests of larger pages than the server returns
  readonly pages: number; // that the emitted rows fill
  readonly lost: number; // rows that were in the list throughout, and were not emitted
  readonly lostLater: number; // of the rows that were in it from the head pass on
  readonly repeated: number; // rows emitted again without a notice
  readonly notices: readonly string[];
  readonly resumed: number; // reads that began from a position
  readonly refused: readonly string[];
  readonly isReordered: boolean; // it says that rows changed their order
  readonly outcome: OffsetOutcome<Line> | null;
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
  readonly notices: string[];
}

/** Reads a world, killed and resumed as it says, and compares what was emitted with what was in the list. */
export async function readWorld(world: World, seed: number, reader: Reader): Promise<Result> {
  const choices = createChoices(seed);
  const server = createWorldServer(world, choices);
  const reading: Reading = { emitted: [], position: null, repeated: 0, resumed: 0, notices: [] };
  for (const kill of [...world.kills, null]) {
    server.begin(kill);
    try {
      const { outcome, later } = await readOnce(world, server, reading, reader, choices);
      return resultOf(world, server, reading, outcome, later);
    } catch (error) {
      if (error instanceof Endless) return { ...resultOf(world, server, reading, null, []), code: 'endless' };
      if (!(error instanceof Killed)) throw error;
    }
  }
  throw new Error('the last read is not killed');
}

/** A position that a read has offered, which may be written later, and how many rows had been emitted then. */
interface Saved {
  readonly at: () => OffsetPosition | null;
  readonly text: string; // as it was when it was offered
  readonly length: number;
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
  const saved = createSaved(position, reading.emitted.length);
  let isAnnounced = false;
  const notify = async ({ kind }: Notice<Line>): Promise<void> => {
    notices.push(kind);
    isAnnounced = true;
    if (kind === 'read again') own.clear();
    if (kind !== 'the place is gone') return;
    reading.emitted = [];
    server.restart();
    saved.restart();
  };
  let later: readonly number[] | null = null;
  try {
    const batches = reader(worldRead(world, server, position, notify));
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
      if (state !== null) saved.offer(state, reading.emitted.length);
    }
    server.end();
    saved.check();
    return { outcome: next.value, later: later ?? [] };
  } catch (error) {
    const { at, length } = saved.last(choices);
    reading.position = at();
    reading.emitted = reading.emitted.slice(0, length);
    throw error;
  }
}

/** The positions that a read offers, each with the number of rows that had been emitted. */
function createSaved(position: OffsetPosition | null, emitted: number) {
  const first: Saved = { at: () => position, text: JSON.stringify(position), length: emitted };
  let saved = [first];
  /** Throws if one is not the same any more, because positions may be written later. */
  const check = (): void => {
    for (const { at, text } of saved)
      if (JSON.stringify(at()) !== text) throw new Error(`a position changes after it was offered: ${text}`);
  };
  return {
    offer: (at: () => OffsetPosition, length: number): void => {
      saved.push({ at, text: JSON.stringify(at()), length });
    },
    restart: (): void => {
      saved = [{ at: () => null, text: 'null', length: 0 }];
    },
    check,
    /** Returns the last one, or the one before it, because the last one may not have been written. */
    last: (choices: Choices): Saved => {
      check();
      return saved.at(choices.chance(30) && saved.length > 1 ? -2 : -1) ?? first;
    },
  };
}

/** Compares what was emitted with the list. */
function resultOf(
  world: World,
  server: Server,
  { emitted, repeated, resumed, notices }: Reading,
  outcome: OffsetOutcome<Line> | null,
  later: readonly number[],
): Result {
  const code = outcome === null ? 'failed' : codeOf(outcome);
  const found = new Set(emitted);
  const isLost = (row: number): boolean => code === null && !found.has(world.keyOf(row));
  const lost = server.lasting().filter(isLost).length;
  const lostLater = world.elsewhere > 0 ? 0 : server.still(later).filter(isLost).length;
  const isReordered = outcome !== null && hasNewOrder(outcome);
  const pages = Math.ceil(found.size / Math.max(1, pageSizeOf(world) - 1));
  const seen = { code, isReordered, lost, lostLater, repeated, notices, resumed, outcome };
  return { ...seen, pages, ...server.counts() };
}

const refusalOf = (error: unknown): string | null =>
  isConnectorError(error, 'REQUEST_REFUSED') ? error.message : null;

function worldRead(
  { limit, concurrency, textOf, keyOf }: World,
  { fetchPage }: Server,
  from: OffsetPosition | null,
  notify: OffsetRead<Line>['notify'],
): OffsetRead<Line> {
  const keyOfLine = ({ row, text }: Line) =>
    textOf(row, 0) === null ? String(keyOf(row)) : Buffer.from(text);
  return {
    ...readOf(createPageFetch(limit, { fetchPage, refusalOf, onRefusedSize: async () => undefined })),
    concurrency,
    from,
    notify,
    keyOf: keyOfLine,
    isSame: (one, other) => one.text === other.text,
  };
}

/** What a finished read says, before any setting is considered. */
function codeOf({
  stop,
  limitedAt,
  rows,
  repeatedLines,
  expected,
  hidden,
}: OffsetOutcome<Line>): string | null {
  if (stop !== null) return stop.cause;
  if (limitedAt !== null) return 'nothing is shown beyond an offset';
  return rows + repeatedLines < expected || hidden > 0 ? 'rows are missing' : null;
}

/** True if rows changed their order, unless a steady total is reached exactly. */
function hasNewOrder({
  reordered,
  isTotalSteady,
  maxTotal,
  rows,
  repeatedLines,
}: OffsetOutcome<Line>): boolean {
  return reordered > 0 && !(isTotalSteady && maxTotal === rows + repeatedLines);
}
