import { createIdentitySet, type Identity, type IdentitySet } from '../identities.ts';
import type { Ledger, NumberedPage } from './ledger.ts';
import { KEPT, written, type OffsetPosition } from './position.ts';
import type { TakenPage, OffsetRead, Run } from './run.ts';

const READ_AGAIN =
  'fewer rows were found than the list states, so it is read again from the start, and rows of the interrupted read are repeated.';

/** What has been emitted. */
export interface Emission {
  isResumed: boolean; // not all emitted rows are known
  set: IdentitySet; // the rows that are known to be emitted
  rows: number; // distinct rows emitted, including those of an interrupted read
  head: readonly Identity[]; // the first rows of the scan
  anchors: readonly Identity[]; // its last rows
  hasClash: boolean; // a page of the scan had two different rows with one key
}

/** Returns what has been emitted when a read begins, at a place or at offset 0. */
export function startEmission<R>({ read: { from }, identities: { of } }: Run<R>, place: unknown): Emission {
  if (from === null || place === null)
    return { isResumed: false, set: createIdentitySet(), rows: 0, head: [], anchors: [], hasClash: false };
  const { rows, clash: hasClash = false } = from;
  const [head, anchors] = [from.head.slice(0, KEPT).map(of), from.anchors.map(of)];
  return { isResumed: true, set: createIdentitySet([...anchors, ...head]), rows, head, anchors, hasClash };
}

/** Forgets the rows of an interrupted read: only those that are found again are still in the list. */
export async function startAgain<R>({ read }: Run<R>, emitted: Emission): Promise<void> {
  await read.warn(READ_AGAIN);
  emitted.isResumed = false;
  emitted.set = createIdentitySet();
  emitted.rows = 0;
}

/** Marks rows of a page as emitted. Returns those that were not emitted before. */
export function emit<R>(emitted: Emission, page: TakenPage<R>, indexes: readonly number[]): readonly R[] {
  const rows: R[] = [];
  for (const index of indexes) if (emitted.set.add(identityAt(page, index))) rows.push(page.rows[index] as R);
  emitted.rows += rows.length;
  return rows;
}

/** Returns the number of a row. */
export function identityAt({ identities }: NumberedPage, index: number): Identity {
  return identities[index] as Identity;
}

/** Adds rows that the scan has covered to those that mark its start and its place. */
export function extendPosition(emitted: Emission, page: NumberedPage, indexes: readonly number[]): void {
  const latest = indexes.slice(-KEPT).map((index) => identityAt(page, index));
  if (latest.length > 0) emitted.anchors = [...emitted.anchors, ...latest].slice(-KEPT);
  if (emitted.head.length >= KEPT) return;
  const first = indexes.slice(0, KEPT).map((index) => identityAt(page, index));
  emitted.head = [...emitted.head, ...first].slice(0, KEPT);
}

/** Returns the position after the rows that the scan has covered, to be written later. */
export function positionAt<R>(
  { identities }: Run<R>,
  { rows, anchors, head, hasClash }: Emission,
  { rank }: Ledger,
): () => OffsetPosition {
  const clash = hasClash ? { clash: true as const } : {};
  const position = { offset: rank + 1, rows, anchors, head, ...clash };
  return () => written(position, identities);
}

/** Returns a row of a page that has the key of a different row; undefined if there is none. `indexes`: rows that were not covered before. */
export function findClash<R>(
  page: TakenPage<R>,
  indexes: readonly number[],
  isSame: OffsetRead<R>['isSame'],
): R | undefined {
  const { length } = page.rows;
  // only the first row was covered
  if (length - indexes.length <= 1 && (indexes.length === length || indexes[0] === 1)) return undefined;
  const firstOf = new Map<Identity, R>();
  return page.rows.find((row, index) => {
    const identity = identityAt(page, index);
    const first = firstOf.get(identity);
    if (first === undefined) firstOf.set(identity, row);
    return first !== undefined && !isSame(first, row);
  });
}
