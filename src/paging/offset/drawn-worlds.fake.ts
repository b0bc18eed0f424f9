import { wholePage, type PageSize } from '../../../acceptance-tests/model/answer.ts';
import type { MemberRule } from '../../../acceptance-tests/model/offset-answer.ts';
import { mix } from '../../../acceptance-tests/sandbox/data/random.ts';
import { createChoices, type Choices } from '../../../acceptance-tests/simulation/choices.ts';
import { STILL_WORLD, pageSizeOf, type Change, type Kill, type Order, type World } from './world.fake.ts';

type Changes = (choices: Choices) => readonly Change[];

const insert = (count: number): Change => ({ kind: 'insert', count });
const remove = (count: number): Change => ({ kind: 'delete', count });

/** How a list changes before each answer, with at most `few` changes. */
const CHANGES: Readonly<Record<string, (few: number) => Changes>> = {
  still: () => () => [],
  few: () => (choices) => (choices.chance(25) ? [choices.pick([insert(1), remove(1)])] : []),
  busy: (few) => (choices) =>
    Array.from({ length: choices.between(0, few) }, () => choices.pick([insert(1), remove(1)])),
  deletes: (few) => (choices) => Array.from({ length: choices.between(0, few) }, () => remove(1)),
  'an insert each time': () => () => [insert(1)],
  inserts: (few) => (choices) => [insert(choices.between(0, few))],
  'an insert and a deletion each time': () => () => [insert(1), remove(1)],
};

/** Lists that change by about a page per request. */
const RESTLESS: Readonly<Record<string, (size: number) => Changes>> = {
  page: (size) => (choices) => [insert(choices.between(Math.max(1, size - 2), size + 1))],
  half: (size) => (choices) => [
    insert(choices.between(0, Math.ceil(size / 2))),
    remove(choices.between(0, Math.ceil(size / 4))),
  ],
  // the same changes each time
  steady: (size) => {
    let drawn: readonly Change[] | null = null;
    const most = Math.max(1, size >> 3);
    return ({ between, pick }) => {
      drawn ??= pick<readonly Change[]>([
        [insert(between(1, 2 * most))],
        [insert(between(0, most)), { ...remove(between(1, most)), at: between(0, 100) }],
      ]);
      return drawn;
    };
  },
  storm: () => (choices) => {
    if (choices.chance(15)) return [remove(choices.between(2, 25))];
    return choices.chance(15) ? [insert(choices.between(2, 25))] : [];
  },
  // whole pages at once, now and then
  upheaval: (size) => (choices) => {
    if (!choices.chance(15)) return [];
    const [come, gone] = [insert(choices.between(1, 3 * size)), remove(choices.between(1, 3 * size))];
    return choices.pick([[come], [gone], [gone, come]]);
  },
};

/** A right total comes twice as often. */
const TOTALS: readonly MemberRule[] = [
  'right',
  'right',
  'absent',
  'stale',
  'too large',
  'too small',
  'length of the page',
  'what was shown',
  'zero',
  { plus: 1 },
  { plus: -1 },
  'zero on empty pages',
];
const PAST_END = ['empty page', 400, 'first page', 'last page', 'last page by number'] as const;

/** Draws what worlds of all kinds have in common. `limit`: rows that a reader requests; a server may allow fewer. */
function drawnWorld(choices: Choices, limit: number, cap: number, kind: string | null): World {
  const { between, pick, chance } = choices;
  // of the sizes that a reader tries, one is hardly smaller
  const isRefused = (cap === 2 || cap >= 5) && chance(50);
  const server = { ...(isRefused ? { refusedAbove: cap } : { maxPerPage: cap }), pastEnd: pick(PAST_END) };
  const size = pageSizeOf({ limit, server });
  const changes = changesOf(kind ?? pick(Object.keys(CHANGES)), size) ?? (() => []);
  return {
    ...STILL_WORLD,
    rows: chance(5) ? between(0, 2) : between(0, chance(30) ? 200 : 60),
    limit,
    changes,
    active: chance(50) ? Infinity : between(1, 40),
    total: pick(TOTALS),
    server,
    isInOrder: false,
    concurrency: chance(50) ? 1 : between(2, 8),
    kills: chance(30) ? Array.from({ length: between(1, 4) }, () => drawnKill(choices)) : [],
    changesBetween: chance(50) ? () => [] : pagesBetween(size),
    minRows: 0,
  };
}

/** One in five reads is killed at its end: the next one resumes where few rows follow, or none. */
function drawnKill({ between }: Choices): Kill {
  const kill = between(1, 30);
  return kill > 24 ? 'at its end' : kill;
}

/** Pages of rows that are inserted, or deleted at the head or elsewhere, while no read runs. */
const pagesBetween =
  (size: number): Changes =>
  ({ pick, between }) => {
    const count = between(1, 4 * size);
    return [pick([insert(count), remove(count), { kind: 'delete', count, at: 0 }])];
  };

/** Draws an ordinary world: pages of at least 3 rows, at most 3 changes, and a third of a page, per answer; an order that is kept. */
export function ordinaryWorld(seed: number): World {
  const choices = createChoices(mix(seed, 1));
  const limit = choices.between(3, choices.chance(50) ? 10 : 40);
  const cap = choices.chance(75) ? 1000 : choices.between(3, 10);
  return { ...drawnWorld(choices, limit, cap, null), elsewhere: choices.chance(30) ? 20 : 0 };
}

/** Draws a strange world: pages of two, pages that end early, lists that change by about a page per answer. */
export function strangeWorld(seed: number): World {
  const choices = createChoices(mix(seed, 2));
  const limit = choices.between(2, 10);
  const cap = choices.chance(75) ? 1000 : choices.between(2, 10);
  const kind = choices.pick([...Object.keys(CHANGES), 'page', 'half', 'storm', 'upheaval']);
  const size = choices.pick([whole, whole, ...Object.values(EARLY_ENDS)]);
  return { ...drawnWorld(choices, limit, cap, kind), elsewhere: choices.chance(40) ? 50 : 0, size };
}

/** The ordinary world of a seed with other changes: a kind above. */
export function withChanges(world: World, kind: string): World {
  return { ...world, changes: changesOf(kind, pageSizeOf(world)) ?? world.changes };
}

/** The changes of a kind, for pages of a size. */
function changesOf(kind: string, size: number): Changes | undefined {
  return CHANGES[kind]?.(Math.max(1, Math.min(3, Math.floor(size / 3)))) ?? RESTLESS[kind]?.(size);
}

const whole = (): PageSize => wholePage;
const cut = (choices: Choices, granted: number): number =>
  granted > 2 ? choices.between(2, granted) : granted;
/** Pages that end early, but have two rows if there are two. */
export const EARLY_ENDS: Readonly<Record<string, (choices: Choices) => PageSize>> = {
  some: (choices) => (granted) => (choices.chance(40) ? cut(choices, granted) : granted),
  all: (choices) => (granted) => cut(choices, granted),
  two: () => (granted) => Math.min(2, granted),
};

/** From an offset on, rows of one instant come in another order, which stays the same. */
export function otherOrderFrom(offset: number, instantOf: (row: number) => number, seed: number): Order {
  return (list, at) => {
    if (at < offset) return list;
    return list.toSorted(
      (one, other) => instantOf(other) - instantOf(one) || mix(seed, one) - mix(seed, other),
    );
  };
}

/** Groups of so many rows have one instant, and come in another order in each answer. */
export function turningTies(size: number): Order {
  return (list, _, choices) => {
    const seed = choices.bits();
    return list.toSorted(
      (one, other) => Math.floor(other / size) - Math.floor(one / size) || mix(seed, one) - mix(seed, other),
    );
  };
}
