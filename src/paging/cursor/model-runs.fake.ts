import { MIN_INSTANT } from '../instant.ts';
import {
  NO_STATE,
  keyAlone,
  readModel,
  turns,
  type ModelConfig,
  type ModelState,
} from './model-reads.fake.ts';
import { isExpected, isExplained, mayFail, promisesOf } from './model-promises.fake.ts';
import { createModelServer, type ModelOrder } from './model-server.fake.ts';
import { TRUSTED, choicesOf, runsAhead, worldOf, type World, type WorldKind } from './model-worlds.fake.ts';

/** What may be wrong with a world, and what happened in it. */
export interface WorldResult {
  readonly kind: WorldKind;
  readonly order: ModelOrder;
  readonly lost: readonly string[]; // rows that a last, undisturbed read and those before it have not emitted
  readonly repeated: readonly string[]; // rows that were emitted again although a state covered them, and nothing was said
  readonly lostByKeyAlone: readonly string[]; // rows that a state of `created_since` alone would have lost
  readonly error: string | null; // of the last read
  readonly failed: readonly string[]; // errors of reads before it that had no reason to fail
  readonly unexplained: readonly string[]; // events that were said although nothing in the world gave a reason
  readonly requests: number;
}

/** Events whose text says that rows may be repeated. */
const ANNOUNCING = new Set(['order broken', 'left out asked', 'question unanswered', 'may repeat']);

/** Events that a read says once. */
const SAID_ONCE = new Set(['order broken', 'no order', 'bound ignored', 'left out asked', 'may repeat']);

/** What has happened in a world so far. */
interface History {
  readonly said: Set<string>;
  readonly emitted: Set<string>;
  readonly covered: Set<string>; // emitted before a state that was kept
  readonly repeated: string[];
  readonly lostByKeyAlone: string[];
  readonly failed: string[];
  state: ModelState;
  isAnnounced: boolean;
  hadFalseEnds: boolean;
  readonly lowest: number;
  readonly trace: (line: string) => void;
}

/** Runs a world: up to 6 reads with kills, stalls, limits, lost states and changing dates, and a last one that is left alone. */
export async function runWorld(seed: number, trace: (line: string) => void): Promise<WorldResult> {
  const world = worldOf(seed);
  const { kind, order, span, server, between, chance } = world;
  const { options } = server;
  const { steps } = options;
  // where the created field runs ahead, dates, false ends and the question alone say too little
  const hasDates = !runsAhead(kind) && chance(0.5);
  const drawDate = (): number | undefined => (chance(0.35) ? undefined : between(-5, span + 10));
  const start = hasDates ? drawDate() : undefined;
  const lists = { repeated: [], lostByKeyAlone: [], failed: [] };
  const sets = { said: new Set<string>(), emitted: new Set<string>(), covered: new Set<string>() };
  const lowest = start ?? -Infinity;
  const flags = { isAnnounced: false, hadFalseEnds: false };
  const history: History = { ...sets, ...lists, ...flags, state: NO_STATE, lowest, trace };
  for (let left = between(1, 6); left > 0; left--)
    await readDisturbed(world, seed, history, { start, hasDates, steps });
  const chains = chainsOf(world);
  Object.assign(options, {
    refusesEmpty: false,
    falseEnds: 0,
    refusals: 0,
    steps: stepsFor(world, chains, steps),
    cursorLife: Infinity,
    lag: 0,
  });
  const { emitted, repeated, lostByKeyAlone, failed } = history;
  const expected = server.visible().filter((row) => isExpected(row, world, lowest));
  const config = { ...world, start, end: undefined, limit: undefined, chains };
  const error = await readInWorld(world, seed, config, history, Infinity).then(() => null, String);
  const lost = expected.filter(({ text }) => !emitted.has(text)).map(({ text }) => text);
  const unexplained = [...history.said].filter((event) => !isExplained(event, world, history));
  const { requests } = options;
  return { kind, order, lost, repeated, lostByKeyAlone, error, failed, unexplained, requests };
}

/** One read with a kill, a limit or other dates. */
async function readDisturbed(
  world: World,
  seed: number,
  history: History,
  {
    start,
    hasDates,
    steps,
  }: { readonly start: number | undefined; readonly hasDates: boolean; readonly steps: readonly number[] },
): Promise<void> {
  const { span, unit, server, between, pick, chance } = world;
  const { options } = server;
  const chains = chainsOf(world);
  const isInOrder = world.order === 'ascending' || world.order === 'arrival';
  // then the question may be later than rows that a false end has hidden
  const isAhead = runsAhead(world.kind);
  options.falseEnds = isInOrder && !isAhead && chance(0.2) ? 10 : 0;
  history.hadFalseEnds ||= options.falseEnds > 0;
  options.refusals = chance(0.15) ? 10 : 0;
  options.refusesEmpty = history.state !== NO_STATE && start === undefined && chance(0.1);
  // such as the waits of a rate limit, behind which old cursors are sent
  const wait = between(1, 5 * TRUSTED);
  const waits = pick(WAITS).map((isLong) => (isLong ? wait : 0));
  const isSlow = !isAhead && chance(0.15);
  options.steps = isSlow ? waits : stepsFor(world, chains, steps);
  const config = {
    ...world,
    // a later one, such as a typing error, costs nothing once it is corrected
    start:
      hasDates && history.state.question > MIN_INSTANT && chance(0.2)
        ? Math.max(history.lowest, between(0, span))
        : start,
    end: hasDates && chance(0.4) ? between(0, span + 10) : undefined,
    limit: chance(0.2) ? between(1, 12) : undefined,
    chains,
  };
  const killedAfter = chance(0.6) ? between(1, 10) : Infinity;
  const error = await readInWorld(world, seed, config, history, killedAfter).then(() => null, String);
  history.trace(error ?? 'no error');
  if (error !== null && !mayFail(error, options, isSlow)) history.failed.push(error);
  if (chance(0.8)) options.now += pick([0, 1, 5, 30, 100, 4 * unit]);
}

/** Which responses take long, in turn. */
const WAITS = [[true], [false, true], [true, true, false, false, false]];

/** Requests of several chains overlap, so a round of all chains takes no longer than one request; out of order, one chain reads. */
function stepsFor({ order }: World, chains: number, steps: readonly number[]): readonly number[] {
  const isParallel = chains > 1 && (order === 'ascending' || order === 'arrival');
  const shortest = chains > 3 ? 1 : 3;
  return isParallel ? steps.map((step) => (step < 9 ? 0 : shortest)) : steps;
}

/** Reads once, and writes down what is emitted and which states are kept; the writer stalls now and then. */
async function readInWorld(
  world: World,
  seed: number,
  config: ModelConfig,
  history: History,
  killedAfter: number,
): Promise<void> {
  const { server, between, pick, chance } = world;
  const { emitted, covered, repeated, failed, trace } = history;
  const saidHere = new Set<string>();
  const stalls = pick([0, 0, 0.1, 0.6]);
  const leaves = pick([1, 1, 0.5, 0.15]);
  let pending: string[] = [];
  let batches = 0;
  const slow = pick([0, 0, 0.05, 0.2]);
  // the others go on while one of several chains waits
  const delay = turns(() => (chance(slow) ? 60 : between(0, 3)));
  const brokenPromises = promisesOf(world, config, history.state);
  for await (const batch of readModel(server, history.state, config, delay)) {
    batches++;
    noteSaid(batch.said, saidHere, history);
    history.isAnnounced ||= batch.state().isFull;
    const isCut = batches >= killedAfter && chance(0.5);
    const texts = isCut ? batch.texts.slice(0, between(0, batch.texts.length)) : batch.texts;
    trace(`at ${server.options.now}: ${texts.join(' ')} | ${batch.said.join(' ')}`);
    repeated.push(...texts.filter((text) => covered.has(text) && !history.isAnnounced));
    for (const text of texts) emitted.add(text);
    pending = [...pending, ...texts];
    if (isCut) return;
    if (batch.end !== null || chance(leaves)) {
      history.state = batch.state();
      for (const text of pending) covered.add(text);
      pending = [];
      if (!runsAhead(world.kind) && chance(0.05))
        history.lostByKeyAlone.push(...(await lostWithKeyAlone(world, seed, history.state, history)));
    }
    if (batch.end === 'finished') failed.push(...brokenPromises(emitted, saidHere));
    if (batches >= killedAfter) return;
    if (chance(stalls)) server.options.now += pick([5, TRUSTED + 1, 5 * TRUSTED]);
  }
}

/** Notes what was said with a batch. */
function noteSaid(events: readonly string[], saidHere: Set<string>, history: History): void {
  for (const event of events) {
    if (saidHere.has(event) && SAID_ONCE.has(event)) history.failed.push(`${event}, twice`);
    saidHere.add(event);
    history.said.add(event);
    history.isAnnounced ||= ANNOUNCING.has(event);
  }
}

/** Returns the rows that a read from `created_since` alone, right now and undisturbed, would not have emitted. */
async function lostWithKeyAlone(
  world: World,
  seed: number,
  state: ModelState,
  { emitted, lowest }: History,
): Promise<readonly string[]> {
  const { server } = world;
  const quiet = createModelServer({
    ...server.options,
    refusesEmpty: false,
    falseEnds: 0,
    refusals: 0,
    lag: 0,
    cursorLife: Infinity,
    steps: [0],
  });
  const { between } = choicesOf(seed);
  const found = new Set(emitted);
  const start = Number.isFinite(lowest) ? lowest : undefined;
  const config = { ...world, start, end: undefined, limit: undefined, chains: 1 };
  const expected = quiet.visible().filter((row) => isExpected(row, world, lowest));
  for await (const { texts } of readModel(
    quiet,
    keyAlone(state),
    config,
    turns(() => between(0, 3)),
  ))
    for (const text of texts) found.add(text);
  return expected.filter(({ text }) => !found.has(text)).map(({ text }) => text);
}

function chainsOf({ pick }: World): number {
  return pick([1, 1, 2, 3, 8]);
}
