import { inTurns, mapInSlices } from '../../rows/slices.ts';
import { createIdentities, type Identities, type Identity } from '../identities.ts';
import type { FirstPage, NamedList } from './explain.ts';
import type { NumberedPage } from './ledger.ts';
import type { RepeatedLines } from './repeated-lines.ts';
import { offsetsNear, placeIn, type OffsetPosition } from './position.ts';
import type { FetchOffsetPage, OffsetPage, RequestedPage } from './window.ts';

export interface OffsetRead<R> {
  readonly list: NamedList;
  readonly fetchPage: FetchOffsetPage<R>;
  readonly keyOf: (row: R) => string | Buffer; // identifies a row in every response; bytes if it is the text of a row without a key
  readonly isSame: (one: R, other: R) => boolean; // true if two rows have the same text
  /** Explains why rows cannot be recognized in another response; null if they can. */
  readonly describeUnidentifiable: (rows: readonly R[]) => string | null;
  /** The warning about a row that has the key of a different row of its page. */
  readonly describeClash: (row: R) => string;
  readonly concurrency: number;
  readonly maxAheadBytes: number; // of pages requested ahead, estimated from the largest page so far
  readonly mayBeShort: boolean; // if the server shows only a part of the list, the read does not fail
  readonly from: OffsetPosition | null; // where an earlier read stopped; null to read from the start
  /**
   * Called once if different rows of a page have the same key, and before rows are repeated: the place is gone, or rows cannot be told
   * from those of the interrupted read.
   */
  readonly warn: (message: string) => Promise<void>;
  readonly signal: AbortSignal;
}

const PLACE_GONE =
  'the rows at which the last read stopped are gone from the list, so it is read again from the start, and rows that were emitted are repeated.';

/** A page of the window whose rows are numbered. */
export type TakenPage<R> = RequestedPage<R> & NumberedPage;

/** What the passes of a read share. */
export interface Run<R> {
  readonly read: OffsetRead<R>;
  readonly identities: Identities;
  readonly stated: {
    maxTotal: number | null;
    minTotal: number | null;
    refusedAt: number | null;
    refusal: string | null; // the server's words
  };
  readonly lines: RepeatedLines;
  reordered: number; // pages on which rows had changed their order
  first: FirstPage | null;
}

/** Begins a read: notes what the pages state. */
export function startRun<R>(read: OffsetRead<R>): Run<R> {
  const stated: Run<R>['stated'] = { maxTotal: null, minTotal: null, refusedAt: null, refusal: null };
  const sizes = { total: null as number | null, room: 1 };
  const fetchPage: FetchOffsetPage<R> = async (offset, signal) => {
    const atMost = rowsUpToEnd(sizes, offset);
    const page = withoutEmptyTotal(await read.fetchPage(offset, signal, atMost), offset);
    noteEnd(sizes, offset, atMost, page);
    if (page.total !== undefined) {
      stated.maxTotal = Math.max(stated.maxTotal ?? 0, page.total);
      stated.minTotal = Math.min(stated.minTotal ?? Infinity, page.total);
    }
    if (page.isRefused === true) {
      stated.refusedAt = Math.min(stated.refusedAt ?? offset, offset);
      stated.refusal ??= page.refusal ?? null;
    }
    return page;
  };
  const lines: RepeatedLines = new Map();
  return {
    read: { ...read, fetchPage },
    identities: createIdentities(),
    stated,
    lines,
    reordered: 0,
    first: null,
  };
}

/** Where a list ends, as it was stated. Services refuse a request whose offset and limit exceed a window, though its rows do not. */
interface StatedEnd {
  total: number | null; // of a page after the first that had rows, and more to follow; null before one
  room: number; // rows to request after it: more, if the list turns out to be longer
}

/** Returns how many rows to request at an offset at most; a total never proves the end, so that at least two are. */
function rowsUpToEnd({ total, room }: StatedEnd, offset: number): number {
  return total === null || offset >= total ? Infinity : Math.max(2, total + room - offset);
}

function noteEnd(end: StatedEnd, offset: number, atMost: number, { rows, total }: OffsetPage<unknown>): void {
  if (offset > 0 && rows.length > 0 && (total ?? 0) > offset + rows.length) end.total = total ?? null;
  if (rows.length >= atMost) end.room *= 2;
}

/** Drops a total of zero from an empty page after the first: servers that count along with the rows state it there, whatever the list has. */
function withoutEmptyTotal<R>(page: OffsetPage<R>, offset: number): OffsetPage<R> {
  const isEmpty = offset > 0 && page.rows.length === 0;
  return isEmpty && page.total === 0 ? { ...page, total: undefined } : page;
}

/** Returns the page at the place where an earlier read stopped, from its first anchor on; null to read from the start. */
export async function findPlace<R>(run: Run<R>): Promise<RequestedPage<R> | null> {
  const { fetchPage, from, signal, warn } = run.read;
  if (from === null) return null;
  const anchors = from.anchors.map(run.identities.of);
  let span = 0;
  for (const offset of offsetsNear(from, () => span)) {
    const page = await fetchPage(offset, signal);
    span = Math.max(span, page.rows.length);
    const { identities } = await numbered(run, { ...page, offset });
    const first = placeIn(identities, new Set(anchors), anchors.at(-1) ?? -1);
    // the interrupted read has emitted the rows before its anchors
    if (first !== -1) return { ...page, offset: offset + first, rows: page.rows.slice(first) };
  }
  await warn(PLACE_GONE);
  return null;
}

/** Numbers the rows of a page by their keys. */
export async function numbered<R>(
  { identities, read }: Run<R>,
  page: RequestedPage<R>,
): Promise<TakenPage<R>> {
  let isKeyless = false;
  const numberOf = (row: R): Identity => {
    const key = read.keyOf(row);
    if (typeof key !== 'string') isKeyless = true;
    return identities.ofText(key);
  };
  const numbers = await inTurns(mapInSlices(page.rows, numberOf), read.signal);
  return { ...page, identities: numbers, isKeyless };
}

/** What is remembered of the first page of a list. */
export function firstPage({ identities, limit, hasCursor = false }: TakenPage<unknown>): FirstPage {
  return { first: identities[0], count: identities.length, limit, hasCursor };
}
