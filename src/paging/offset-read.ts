import { createIdentities, createIdentitySet } from './identities.ts';
import type { Identity } from './identities.ts';
import { KEPT, KEPT_INSERTED, createLedger, locate } from './offset-position.ts';
import type { Ledger, OffsetPosition } from './offset-position.ts';
import { scanTiedPages } from './offset-scan.ts';
import type { ScannedList, TiedPage } from './offset-scan.ts';

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

/**
 * Reads an offset list once: every row that exists from the start of the read to its end is yielded, exactly once,
 * whatever is inserted or deleted meanwhile, as long as the list keeps its relative order. A read that goes on `from` a
 * position yields nothing that had been yielded before it, unless the place is lost.
 *
 * After the scan a last pass from offset 0 picks up what was inserted meanwhile. Where fewer rows were found than
 * `totalCount` then says, the order is not stable: the list is read again until nothing new appears.
 *
 * @throws what `fetchPage` and `scanTiedPages` throw
 */
export async function* readOffsetList<R>(read: OffsetRead<R>): AsyncGenerator<OffsetBatch<R>> {
  const { from, keyOf, warn } = read;
  const identities = createIdentities();
  const list = { ...read, identify: (row: R): Identity => identities.ofText(keyOf(row)) };
  const start = from === null ? null : await locate(from.offset, from.anchors.map(identities.of), list);
  const resumed = start === null ? null : from;
  if (from !== resumed) await warn(PLACE_GONE);
  if (resumed !== null && resumed.inserted.length >= KEPT_INSERTED) await warn(INSERTED_FORGOTTEN);
  const ledger = createLedger(resumed, identities);
  let mayGoAstray = ledger.isResumed;
  for await (const page of scanTiedPages(list, start, ledger.emitted)) {
    const { isNew, isAstray, position } = ledger.scanned(page);
    if (isAstray && mayGoAstray && page.fresh.includes(true)) {
      mayGoAstray = false;
      await warn(PLACE_GONE);
    }
    yield { ...batchOf('scan', page, isNew, ledger), state: position };
  }
  const owed = yield* readHead(list, ledger);
  if (ledger.isResumed && ledger.rows() < owed) await warn(READ_AGAIN);
  yield* readAgain(list, ledger, owed);
}

type List<R> = ScannedList<R> & Pick<OffsetRead<R>, 'warn'>;

/**
 * What was inserted meanwhile: everything ahead of the first row that was there at the start; passes follow as long as they
 * become shorter. Returns the total at the start of the last pass: rows that came in later are not owed.
 */
async function* readHead<R>(list: List<R>, ledger: Ledger): AsyncGenerator<OffsetBatch<R>, number> {
  const head = new Set(ledger.head());
  const firstRows = new Set(ledger.head().slice(0, KEPT));
  let isMarked = !ledger.isResumed;
  let owed = 0;
  let before = Infinity;
  for (;;) {
    const held: OffsetBatch<R>[] = [];
    const had = ledger.rows();
    let pages = 0;
    let total: number | undefined;
    const release = async function* (): AsyncGenerator<OffsetBatch<R>> {
      const isNewer = ledger.rows() > had;
      if (!isMarked && isNewer) await list.warn(HEAD_GONE);
      isMarked ||= isNewer;
      yield* held.splice(0);
    };
    for await (const page of scanTiedPages({ ...list, concurrency: 1 }, null, createIdentitySet())) {
      const { identities, fresh } = page;
      if (++pages === 1) owed = page.total ?? owed;
      total = page.total ?? total;
      const first = identities.findIndex(
        (identity, index) => head.has(identity) || (fresh[index] === true && ledger.wasThere(identity)),
      );
      const isNew = identities.slice(0, first === -1 ? undefined : first).map(ledger.take);
      isMarked ||= identities.some((identity) => firstRows.has(identity));
      held.push(batchOf('head', page, isNew, ledger));
      if (first !== -1) break;
      if (isMarked || held.length >= MOST_HELD) yield* release();
    }
    yield* release();
    if (ledger.rows() === had || pages >= before || ledger.rows() >= (total ?? 0)) return owed;
    before = pages;
  }
}

/** The whole list again, as long as fewer rows were found than it had, and rows turn up that an earlier pass missed. */
async function* readAgain<R>(list: List<R>, ledger: Ledger, atFirst: number): AsyncGenerator<OffsetBatch<R>> {
  const { take, rows } = ledger;
  let owed = atFirst;
  let passes = 1;
  for (let hasMissed = true; hasMissed && passes <= MORE_PASSES && rows() < owed; passes++) {
    hasMissed = false;
    let hasMet = false;
    for await (const page of scanTiedPages(list, null, createIdentitySet())) {
      if (page.request === 1) owed = page.total ?? owed;
      const isNew = page.identities.map(take);
      // what is new ahead of every row that had been emitted was inserted since, what is new behind one was missed
      hasMissed ||= hasMet && isNew.includes(true);
      hasMet ||= page.fresh.some((fresh, index) => fresh && isNew[index] === false);
      yield batchOf('more', page, isNew, ledger);
    }
  }
  if (passes > 1)
    await list.warn(
      `the list says that it has ${owed} rows; ${rows()} different ones were found in ${passes} passes. ` +
        `Either totalCount is wrong, or the list does not keep its order while it is read.`,
    );
}

function batchOf<R>(pass: OffsetBatch<R>['pass'], page: TiedPage<R>, isNew: boolean[], ledger: Ledger) {
  const rows = page.rows.filter((_, index) => isNew[index]);
  return { pass, rows, total: page.total, state: null, covered: ledger.rows() };
}
