import { readModel, keyAlone, type ModelConfig, type ModelState } from './model-reads.fake.ts';
import { createModelServer, type ModelOrder, type ModelRow, type ModelServer } from './model-server.fake.ts';

/** Units for which a cursor is trusted, and for which those of a server live at least. */
const TRUSTED = 24;
const LIFE = 30;
const MINUTE = 6;

/** What may be wrong with a world, and what happened in it. */
export interface WorldResult {
  readonly order: ModelOrder;
  readonly lost: readonly string[]; // rows that a last, undisturbed read and those before it have not emitted
  readonly repeated: readonly string[]; // rows that were emitted again although a state covered them, and nothing was said
  readonly lostByKeyAlone: readonly string[]; // rows that a state of `created_since` alone would have lost
  readonly error: string | null; // of the last read
  readonly requests: number;
  readonly hadFalseEnds: boolean;
}

interface World extends Choices {
  readonly order: ModelOrder;
  readonly isInOrder: boolean;
  readonly lookback: number;
  readonly span: number;
  readonly server: ModelServer;
  readonly enough: number;
}

type Choices = ReturnType<typeof choicesOf>;

/** Random choices that depend on a seed only. */
export function choicesOf(seed: number) {
  let state = (seed * 2_654_435_761 + 12_345) >>> 0;
  const random = (): number => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (min: number, max: number): number => min + Math.floor(random() * (max - min + 1));
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  return { random, between, pick, chance: (share: number): boolean => random() < share };
}

const ORDERS: readonly ModelOrder[] = [
  ...(['ascending', 'ascending', 'ascending', 'arrival', 'arrival'] as const),
  ...(['descending', 'descending', 'shuffled', 'nearly', 'older half last'] as const),
];

/** A list of up to 90 rows: ties, equal texts, late rows, and now and then rows later than the lookback. */
function worldOf(seed: number): World {
  const choices = choicesOf(seed);
  const { between, pick, chance } = choices;
  const order = pick(ORDERS);
  const isInOrder = order === 'ascending' || order === 'arrival';
  const lookback = pick([0, 5, 20, 40]);
  const span = pick([60, 150, 400, 1500]);
  const late = pick([0, 0.2, 0.6]);
  const tooLate = order === 'ascending' ? pick([0, 0, 0.05]) : 0;
  const rows: ModelRow[] = [];
  for (let id = between(5, 90); id > 0; id--) {
    const copy = rows.length > 0 && chance(0.25) ? pick(rows) : undefined;
    const created = copy?.created ?? between(0, span);
    const usual = chance(late) ? between(0, lookback) : 0;
    const lateness = chance(tooLate) ? lookback + between(1, 60) : usual;
    const text = copy !== undefined && chance(0.3) ? copy.text : `${created}.${id}`;
    const isFar = order === 'nearly' ? chance(0.06) : created < span / 3;
    rows.push({ id, text, created, bounded: created, visible: created + lateness, isFar });
  }
  const server = createModelServer({
    rows,
    order,
    pageSize: between(1, 7),
    bound: pick(['inclusive', 'exclusive', 'truncated', 'rounded', 'later']),
    boundUnit: pick([1, 3, MINUTE]),
    cursors: pick(['keys', 'keys', 'row numbers', 'page numbers']),
    cursorLife: pick([Infinity, Infinity, LIFE, 3 * LIFE]),
    death: pick(['refused', 'empty', 'first page', 'first page of everything']),
    falseEnds: 0,
    shortPages: pick([0, 0, 30]),
    refusesEmpty: false,
    skew: pick([0, 0, 0, -30]),
    steps: Array.from({ length: 5 }, () => pick([0, 0, 1, 2, 9])),
    now: between(0, span + 60),
    maxRequests: 60_000,
  });
  return { ...choices, order, isInOrder, lookback, span, server, enough: isInOrder ? pick([1, 3, 16]) : 16 };
}

/** What has happened in a world so far. */
interface History {
  readonly emitted: Set<string>;
  readonly covered: Set<string>; // emitted before a state that was kept
  readonly repeated: string[];
  readonly lostByKeyAlone: string[];
  state: ModelState | null;
  isAnnounced: boolean; // a warning was logged
  lowest: number; // the earliest start date so far
  readonly trace: (line: string) => void;
}

function newHistory(trace: History['trace']): History {
  const lists = { repeated: [], lostByKeyAlone: [] };
  const sets = { emitted: new Set<string>(), covered: new Set<string>() };
  return { ...sets, ...lists, state: null, isAnnounced: false, lowest: -Infinity, trace };
}

/** Runs a world: up to 6 reads with kills, stalls, lost states and changing dates, and a last one that is left alone. */
export async function runWorld(seed: number, trace: (line: string) => void): Promise<WorldResult> {
  const world = worldOf(seed);
  const { order, isInOrder, lookback, span, server, enough, between, pick, chance } = world;
  const { options } = server;
  const { steps } = options;
  const history = newHistory(trace);
  let hadFalseEnds = false;
  const hasDates = chance(0.5);
  const drawDate = (): number | undefined => (chance(0.35) ? undefined : between(-5, span + 10));
  let start = hasDates ? drawDate() : undefined;
  history.lowest = start ?? -Infinity;
  for (let left = between(1, 6); left > 0; left--) {
    const end = hasDates && chance(0.4) ? between(0, span + 10) : undefined;
    const chains = pick([1, 1, 2, 3, 8]);
    options.falseEnds = isInOrder && chance(0.2) ? 10 : 0;
    options.refusesEmpty = history.state !== null && start === undefined && chance(0.1);
    hadFalseEnds ||= options.falseEnds > 0;
    options.steps = stepsFor(chains, steps);
    const killedAfter = chance(0.6) ? between(1, 10) : Infinity;
    const config = { start, end, lookback, chains, enough, confirmsEnd: false };
    await readInWorld(world, seed, config, history, killedAfter).catch((error: unknown) =>
      trace(String(error)),
    );
    if (chance(0.8)) options.now += pick([0, 1, 5, 30, 100]);
    if (hasDates && chance(0.6)) start = drawDate();
    history.lowest = Math.min(history.lowest, start ?? -Infinity);
  }
  const chains = pick([1, 1, 2, 3, 8]);
  Object.assign(options, { falseEnds: 0, refusesEmpty: false, steps: stepsFor(chains, steps) });
  const { lowest, emitted, repeated, lostByKeyAlone } = history;
  const isExpected = (row: ModelRow): boolean =>
    row.visible - row.created <= lookback && row.created >= lowest;
  const expected = server.visible().filter(isExpected);
  const last = { start: Number.isFinite(lowest) ? lowest : undefined, end: undefined, lookback };
  const config = { ...last, chains, enough, confirmsEnd: false };
  const error = await readInWorld(world, seed, config, history, Infinity).then(() => null, String);
  const lost = expected.filter(({ text }) => !emitted.has(text)).map(({ text }) => text);
  return { order, lost, repeated, lostByKeyAlone, error, requests: options.requests, hadFalseEnds };
}

/** Requests of several chains overlap, so a round of all chains takes no longer than one request. */
function stepsFor(chains: number, steps: readonly number[]): readonly number[] {
  const shortest = chains > 3 ? 1 : 3;
  return chains === 1 ? steps : steps.map((step) => (step < 9 ? 0 : shortest));
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
  const { emitted, covered, repeated, trace } = history;
  const stalls = pick([0, 0, 0.1, 0.6]);
  const leaves = pick([1, 1, 0.5, 0.15]);
  let pending: string[] = [];
  let batches = 0;
  for await (const batch of readModel(server, history.state, config, () => between(0, 3))) {
    batches++;
    history.isAnnounced ||= batch.said.some((words) => words.startsWith('WARN'));
    const isCut = batches >= killedAfter && chance(0.5);
    const texts = isCut ? batch.texts.slice(0, between(0, batch.texts.length)) : batch.texts;
    trace(`at ${server.options.now}: ${texts.join(' ')} | ${batch.said.join(' ')}`);
    repeated.push(...texts.filter((text) => covered.has(text) && !history.isAnnounced));
    for (const text of texts) emitted.add(text);
    pending = [...pending, ...texts];
    if (isCut) return;
    if (batch.isFinished || chance(leaves)) {
      history.state = batch.state;
      for (const text of pending) covered.add(text);
      pending = [];
      if (chance(0.05))
        history.lostByKeyAlone.push(...(await lostWithKeyAlone(world, seed, batch.state, history)));
    }
    if (batches >= killedAfter) return;
    if (chance(stalls)) server.options.now += pick([5, TRUSTED + 1, 5 * TRUSTED]);
  }
}

/** Returns the rows that a read from `created_since` alone, right now and undisturbed, would not have emitted. */
async function lostWithKeyAlone(
  { server, lookback, enough }: World,
  seed: number,
  state: ModelState,
  { emitted, lowest: start }: History,
): Promise<readonly string[]> {
  const quiet = createModelServer({
    ...server.options,
    falseEnds: 0,
    refusesEmpty: false,
    requests: 0,
  } as never);
  const { between } = choicesOf(seed);
  const found = new Set(emitted);
  const from = Math.max(start, -1_000_000);
  const config = { start: from, end: undefined, lookback, chains: 1, enough, confirmsEnd: false };
  const expected = quiet
    .visible()
    .filter((row) => row.visible - row.created <= lookback && row.created >= start);
  for await (const { texts } of readModel(quiet, keyAlone(state), config, () => between(0, 3)))
    for (const text of texts) found.add(text);
  return expected.filter(({ text }) => !found.has(text)).map(({ text }) => text);
}
