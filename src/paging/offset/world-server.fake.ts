import { isRefusal, type Refusal } from '../../../acceptance-tests/model/answer.ts';
import {
  ORDINARY_OFFSETS,
  offsetAnswer,
  type OffsetParameters,
} from '../../../acceptance-tests/model/offset-answer.ts';
import type { Choices } from '../../../acceptance-tests/simulation/choices.ts';
import { configError } from '../../errors.ts';
import type { PageSource } from './accepted-size.ts';
import { received } from './at-rest.fake.ts';
import type { OffsetPage } from './window.ts';
import type { Change, Kill, World } from './world.fake.ts';

/** More requests than any read of such a list needs. */
const ENDLESS = 4000;

export class Killed extends Error {}
export class Endless extends Error {}

/** A line of a page. */
export interface Line {
  readonly row: number;
  readonly text: string;
}

type Answer = OffsetPage<Line> | Refusal;

/** Kills reads when it is time. */
function createKills() {
  let [sent, maxSent] = [0, Infinity];
  let isAtEnd = false;
  return {
    /** Returns how many requests the read before has sent. */
    begin: (kill: Kill | null): number => {
      const sentBefore = sent;
      sent = 0;
      isAtEnd = kill === 'at its end';
      maxSent = typeof kill === 'number' ? kill : Infinity;
      return sentBefore;
    },
    countRequest: (): void => {
      if (++sent > maxSent) throw new Killed();
      if (sent > ENDLESS) throw new Endless();
    },
    end: (): void => {
      if (isAtEnd) throw new Killed();
    },
  };
}

/**
 * The server of a world: the list changes before each answer, and requests in flight are answered in random order. Throws if more are in
 * flight than the reader may send.
 */
export function createWorldServer(world: World, choices: Choices) {
  const rows = createRows(world, choices);
  const { list } = rows;
  const refused: string[] = [];
  const { refusedAbove = Infinity } = world.server;
  let [answers, refusedSizes] = [0, 0];
  let atFirst: readonly number[] = [];
  const answer = (offset: number, limit: number): Answer => {
    if (answers > 0 && answers < world.active) rows.change(answers);
    answers++;
    if (limit > refusedAbove) refusedSizes++;
    if (offset === 0) atFirst = [...list];
    const page = pageOf(world, rows, choices, { offset, limit, number: answers });
    if (isRefusal(page)) refused.push(`${offset} ${limit}`);
    return page;
  };
  const kills = createKills();
  const queue = createQueue(world, choices, answer);
  const fetchPage: PageSource<Line>['fetchPage'] = async ({ offset, limit }, signal) => {
    kills.countRequest();
    return queue.add(offset, limit, signal);
  };
  return {
    fetchPage,
    /** Begins a read, and says when it is killed. */
    begin: (kill: Kill | null): void => {
      queue.clear();
      if (kills.begin(kill) > 0) rows.changeBetween();
    },
    /** Ends the read. */
    end: kills.end,
    /** From now on, the rows of the list must be read. */
    restart: rows.restart,
    lasting: rows.lasting,
    /** The rows that were in the list when it last showed its first page. */
    lastFirst: (): readonly number[] => atFirst,
    /** Which rows are still in the list. */
    still: (some: readonly number[]): readonly number[] => {
      const now = new Set(list);
      return some.filter((row) => now.has(row));
    },
    counts: () => ({ requests: answers - refusedSizes, refusedSizes, refused }),
  };
}

/** Requests in flight, of which each turn answers one. */
function createQueue(
  { isInOrder, concurrency }: World,
  choices: Choices,
  answer: (offset: number, limit: number) => Answer,
) {
  type Pending = { readonly offset: number; readonly limit: number; readonly take: (page: Answer) => void };
  let pending: Pending[] = [];
  const answerOne = (): void => {
    const index = isInOrder ? 0 : choices.below(pending.length);
    const [one] = pending.splice(index, 1);
    one?.take(answer(one.offset, one.limit));
  };
  return {
    clear: (): void => {
      pending = [];
    },
    add: (offset: number, limit: number, signal: AbortSignal): Promise<OffsetPage<Line>> =>
      new Promise((resolve, reject) => {
        const abort = (): void => {
          pending = pending.filter((other) => other !== one);
          reject(new Error('aborted'));
        };
        const take = (page: Answer): void => {
          signal.removeEventListener('abort', abort);
          if (isRefusal(page)) reject(configError('REQUEST_REFUSED', page.error));
          else resolve(page);
        };
        const one = { offset, limit, take };
        pending.push(one);
        if (pending.length > concurrency) throw new Error(`more than ${concurrency} requests in flight`);
        signal.addEventListener('abort', abort);
        // after the requests that are sent at once
        void Promise.resolve()
          .then(() => Promise.resolve())
          .then(answerOne);
      }),
  };
}

/** The rows of a list, newest first, and how they change. */
function createRows(world: World, choices: Choices) {
  const list = Array.from({ length: world.rows }, (_, index) => world.rows - 1 - index);
  let born = world.rows;
  let lasting = new Set(list);
  let staleTotal = list.length;
  const place = (length: number): number => choices.below(Math.max(1, length));
  const insert = (at: number | undefined): void => {
    const isElsewhere = at === undefined && choices.chance(world.elsewhere);
    list.splice(isElsewhere ? place(list.length + 1) : (at ?? 0), 0, born++);
  };
  const remove = (at: number, count: number): void => {
    if (list.length <= world.minRows) return;
    for (const row of list.splice(Math.min(at, list.length - 1), count)) lasting.delete(row);
  };
  const apply = ({ kind, count, at }: Change): void => {
    if (kind === 'insert') for (let left = count; left > 0; left--) insert(at);
    else remove(at ?? place(list.length), count);
  };
  return {
    list,
    change: (answers: number): void => {
      if (choices.chance(30)) staleTotal = list.length;
      world.changes(choices, answers).forEach(apply);
    },
    changeBetween: (): void => {
      world.changesBetween(choices).forEach(apply);
    },
    staleTotal: (): number => staleTotal,
    restart: (): void => {
      lasting = new Set(list);
    },
    lasting: (): readonly number[] => [...lasting],
  };
}

interface Asked {
  readonly offset: number;
  readonly limit: number;
  readonly number: number; // of the answer
}

function pageOf(
  world: World,
  { list, staleTotal }: ReturnType<typeof createRows>,
  choices: Choices,
  { offset, limit, number }: Asked,
): Answer {
  const { copiesOf } = world;
  const ordered = world.orderAt(list, offset, choices);
  // as it is, if no row is repeated: it is copied for each page otherwise
  const shown =
    copiesOf === undefined ? ordered : ordered.flatMap((row) => Array<number>(1 + copiesOf(row)).fill(row));
  const parameters: OffsetParameters = {
    ...ORDINARY_OFFSETS,
    ...world.server,
    members: { totalCount: world.total },
  };
  const leavesOut = world.leavesOut ?? (() => false);
  const variation = { size: world.size(choices), staleTotal: staleTotal(), ties: null, leavesOut };
  const request = { limit, offset: world.ignoresOffset ? 0 : offset };
  const answer = offsetAnswer(shown, request, parameters, variation);
  if (isRefusal(answer)) return answer;
  const { rows, ...page } = received(answer, limit);
  return { ...page, rows: rows.map((row) => ({ row, text: world.textOf(row, number) ?? `row ${row}` })) };
}
