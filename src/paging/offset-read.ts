import { createIdentities, createIdentitySet } from './identities.ts';
import type { Identity } from './identities.ts';
import { KEPT, KEPT_INSERTED, createLedger, locate } from './offset-position.ts';
import type { Ledger, OffsetPosition } from './offset-position.ts';
import { isLimit } from './offset-guard.ts';
import type { AskedPage, FetchOffsetPage, ScannedList } from './offset-pages.ts';
import { scanTiedPages } from './offset-scan.ts';
import type { TiedPage } from './offset-scan.ts';

export interface OffsetRead<R> extends Omit<ScannedList<R>, 'identify'> {
  /** What a row is known by in another answer. */
  readonly keyOf: (row: R) => string | Buffer;
  /** Where an earlier read stopped; null to read from the start. */
  readonly from: OffsetPosition | null;
  /** Told in words what a person should know: the place was lost, or the list does not keep its order. */
  readonly warn: (message: string) => Promise<void>;
}

export interface OffsetBatch<R> {
  /** The scan, the pass for what was inserted meanwhile, or one more pass over a list that does not keep its order. */
  readonly pass: 'scan' | 'head' | 'more';
  readonly rows: readonly R[];
  readonly total: number | undefined;
  /** Where to go on once all up to here has left; null if not better than before. Settled now, only written when called. */
  readonly state: (() => OffsetPosition) | null;
  /** Different rows emitted with it and before, those of an interrupted read included. */
  readonly covered: number;
}

const PLACE_GONE =
  'the place where the last read stopped is gone from the list, so rows that it emitted are read again.';
const HEAD_GONE =
  'the place where the last read began is gone from the head of the list, so some rows that it emitted may be read again.';
const INSERTED_FORGOTTEN =
  'more rows came in during the interrupted read than its state remembers, so some of them may be read again.';
const READ_AGAIN =
  'fewer rows were found than the list says that it has, so it is read from the start again, and rows of the interrupted read repeat.';

/** Pages of inserted rows that are held back until it is clear whether all of them are. */
const MOST_HELD = 8;
/** Times that a list whose order is not stable is read again at most. */
const MORE_PASSES = 8;

/** What a finished read found, and what the list states. */
export interface OffsetOutcome {
  /** Different rows emitted, those of an interrupted read included. */
  readonly rows: number;
  /** The smallest total stated during the last pass: neither rows deleted during it nor rows inserted since it began are expected. */
  readonly expected: number;
  /** The largest total stated during the read; 0 if none was. */
  readonly mostStated: number;
  /** Passes over the whole list. */
  readonly passes: number;
  /** Offset from which on the server shows nothing, though `expected` is larger; null if it shows rows up to there. */
  readonly limitedAt: number | null;
  /** The first offset that the server refused; null if it refused none. */
  readonly refusedAt: number | null;
}

/**
 * Reads an offset list once: every row that exists from the start of the read to its end is yielded, exactly once,
 * whatever is inserted or deleted meanwhile, as long as the list keeps its relative order. A read that goes on `from` a
 * position yields nothing that had been yielded before it, unless the place is lost.
 *
 * After the scan a last pass from offset 0 picks up what was inserted meanwhile. Where fewer rows were found than
 * `totalCount` then says, the order is not stable: the list is read again until nothing new appears.
 *
 * Returns what was found and what the list states; whether that is enough is for the caller to judge.
 *
 * @throws what `fetchPage` and `scanTiedPages` throw
 */
export async function* readOffsetList<R>(read: OffsetRead<R>): AsyncGenerator<OffsetBatch<R>, OffsetOutcome> {
  const { from, keyOf, warn } = read;
  const identities = createIdentities();
  const { fetchPage, stated } = watchTotals(read.fetchPage);
  const list = { ...read, fetchPage, identify: (row: R): Identity => identities.ofText(keyOf(row)) };
  const start = from === null ? null : await locate(from.offset, from.anchors.map(identities.of), list);
  const resumed = start === null ? null : from;
  if (from !== resumed) await warn(PLACE_GONE);
  if (resumed !== null && resumed.inserted.length >= KEPT_INSERTED) await warn(INSERTED_FORGOTTEN);
  const ledger = createLedger(resumed, identities);
  const limitedAt = yield* scanAll(list, start, ledger);
  const expected = yield* readHead(list, ledger, !ledger.isResumed);
  const settled = limitedAt === null ? yield* readAgain(list, ledger, expected) : { expected, passes: 1 };
  return { rows: ledger.rows(), ...settled, ...stated(), limitedAt };
}

type List<R> = ScannedList<R> & Pick<OffsetRead<R>, 'warn'>;

/** The same fetch, and what its pages have stated so far. */
function watchTotals<R>(fetchPage: FetchOffsetPage<R>) {
  let mostStated = 0;
  let refusedAt: number | null = null;
  const watched: FetchOffsetPage<R> = async (offset, signal) => {
    const page = await fetchPage(offset, signal);
    mostStated = Math.max(mostStated, page.total ?? 0);
    if (page.isRefused === true) refusedAt = Math.min(refusedAt ?? offset, offset);
    return page;
  };
  return { fetchPage: watched, stated: () => ({ mostStated, refusedAt }) };
}

/** The scan; returns the offset from which on the server shows nothing, though the total is larger; null if there is none. */
async function* scanAll<R>(
  list: List<R>,
  start: AskedPage<R> | null,
  ledger: Ledger,
): AsyncGenerator<OffsetBatch<R>, number | null> {
  let last: TiedPage<R> | null = null;
  let mayGoAstray = ledger.isResumed;
  for await (const page of scanTiedPages(list, start, ledger.emitted)) {
    const { isNew, isAstray, position } = ledger.scanned(page);
    if (isAstray && mayGoAstray && page.fresh.includes(true)) {
      mayGoAstray = false;
      await list.warn(PLACE_GONE);
    }
    last = page;
    yield { ...batchOf('scan', page, isNew, ledger), state: position };
  }
  const { offset = 0, identities = [], total = 0, granted = 0 } = last ?? {};
  const end = offset + identities.length;
  if (!isLimit(end, total, granted)) return null;
  // half-way to the total there should be rows, however the list moves
  const { rows } = await list.fetchPage(end + Math.floor((total - end) / 2), list.signal);
  return rows.every((row) => ledger.emitted.has(list.identify(row))) ? end : null;
}

/**
 * What was inserted meanwhile: everything ahead of the first row that was there at the start; passes follow as long as they
 * become shorter. Where it `isMarked` that the rows at the head were not emitted before, none is held back. Returns the
 * smallest total stated during the last pass; 0 if none was.
 */
async function* readHead<R>(
  list: List<R>,
  ledger: Ledger,
  isMarked: boolean,
): AsyncGenerator<OffsetBatch<R>, number> {
  let knowsHead = isMarked;
  for (let before = Infinity; ;) {
    const had = ledger.rows();
    const held: OffsetBatch<R>[] = [];
    const totals: number[] = [];
    let pages = 0;
    const release = async (): Promise<OffsetBatch<R>[]> => {
      if (!knowsHead && ledger.rows() > had) await list.warn(HEAD_GONE);
      return held.splice(0);
    };
    for await (const page of scanTiedPages({ ...list, concurrency: 1 }, null, createIdentitySet())) {
      pages++;
      if (page.total !== undefined) totals.push(page.total);
      const { batch, isOver, isAtMark } = headBatch(page, ledger);
      held.push(batch);
      knowsHead ||= isAtMark;
      if (isOver) break;
      if (!knowsHead && held.length < MOST_HELD) continue;
      yield* await release();
      knowsHead ||= ledger.rows() > had;
    }
    yield* await release();
    knowsHead ||= ledger.rows() > had;
    const isStill = ledger.rows() === had || pages >= before;
    if (isStill || ledger.rows() >= (totals.at(-1) ?? 0))
      return totals.length === 0 ? 0 : Math.min(...totals);
    before = pages;
  }
}

/** What a page of the head pass brings, whether it reaches a row that was there at the start, and whether that is a first one. */
function headBatch<R>(page: TiedPage<R>, ledger: Ledger) {
  const { identities, fresh } = page;
  const head = ledger.head();
  const marks = new Set(head.slice(0, KEPT));
  const all = new Set(head);
  const first = identities.findIndex(
    (identity, index) => all.has(identity) || (fresh[index] === true && ledger.wasThere(identity)),
  );
  const isNew = identities.slice(0, first === -1 ? undefined : first).map(ledger.take);
  const isAtMark = identities.some((identity) => marks.has(identity));
  return { batch: batchOf('head', page, isNew, ledger), isOver: first !== -1, isAtMark };
}

/**
 * The whole list again, as long as fewer rows were found than it states, and rows turn up that an earlier pass missed. Of a
 * resumed read only rows that are found again count: nobody knows which of the others are still in the list.
 */
async function* readAgain<R>(list: List<R>, ledger: Ledger, atFirst: number) {
  const { take, rows } = ledger;
  let expected = atFirst;
  let passes = 1;
  if (ledger.isResumed && rows() < expected) {
    await list.warn(READ_AGAIN);
    ledger.recount();
  }
  for (let hasMissed = true; hasMissed && passes <= MORE_PASSES && rows() < expected; passes++) {
    hasMissed = false;
    let hasMet = false;
    for await (const page of scanTiedPages(list, null, createIdentitySet())) {
      const isNew = page.identities.map(take);
      // what is new ahead of every row that had been emitted was inserted since, what is new after one was missed
      hasMissed ||= hasMet && isNew.includes(true);
      hasMet ||= page.fresh.some((fresh, index) => fresh && isNew[index] === false);
      yield batchOf('more', page, isNew, ledger);
    }
    expected = yield* readHead(list, ledger, true);
  }
  return { expected, passes };
}

function batchOf<R>(pass: OffsetBatch<R>['pass'], page: TiedPage<R>, isNew: boolean[], ledger: Ledger) {
  const rows = page.rows.filter((_, index) => isNew[index]);
  return { pass, rows, total: page.total, state: null, covered: ledger.rows() };
}
