import type { CursorListConfig } from '../generated/config.generated.ts';
import type { CursorState, StateChain } from '../generated/cursor-state.generated.ts';
import { validate } from '../generated/validators/cursor-state.generated.ts';
import type { CursorStart } from '../paging/cursor/list.ts';
import type { CursorBatch } from '../paging/cursor/position.ts';
import { withFittingCursors, type Range, type SavedCursor } from '../paging/cursor/ranges.ts';
import { MAX_INSTANT, MIN_INSTANT, floorTo, readTime, resolutionOf, writeTime } from '../paging/instant.ts';
import type { Instant, TimeFormat, WrittenTime } from '../paging/instant.ts';
import { quoted, type StreamState } from '../protocol/messages.ts';
import schema from './cursor-state.schema.json' with { type: 'json' };
import { checkState, invalidState } from './stream.ts';

type StartConfig = Pick<CursorListConfig, 'created_field' | 'start_date' | 'page_size'>;

/**
 * Returns where a read begins: where the state ends, or at the start date. Throws STATE_INVALID if the state is damaged or its ranges
 * are not in order.
 */
export function startFrom(
  stream: string,
  state: CursorState | null,
  { created_field: field, start_date: start, page_size: pageSize }: StartConfig,
) {
  if (state !== null) checkState(stream, { ...schema, validate }, { ...state }, ['created_since', 'open']);
  // times of another field are meaningless
  const isOtherField = (state?.created_field ?? field) !== field;
  const given = isOtherField ? null : state;
  const { open, seen = [], ...saved } = given ?? {};
  // a read from the beginning of a list without readable times leaves only fingerprints
  const isNew = saved.created_since === undefined && open === undefined && seen.length === 0;
  const texts = new Map<Instant, string>(); // as written by a person or an earlier read
  const formats: TimeFormat[] = [];
  const boundIn = (member: string, text: string | undefined, absent: Instant): Instant => {
    if (text === undefined) return absent;
    const { instant, format } = timeIn(stream, member, text);
    formats.push(format);
    texts.set(instant, text);
    return instant;
  };
  const watermark = boundIn('created_since', isNew ? start : saved.created_since, MIN_INSTANT);
  const ranges = open?.map(({ since, until, chain }): Range => ({
    since: boundIn('open.since', since, MIN_INSTANT),
    until: boundIn('open.until', until, MAX_INSTANT),
    cursor: chain === undefined ? null : savedCursor(stream, chain, pageSize),
    origin: 'state',
  }));
  checkOrder(stream, ranges ?? []);
  const from: CursorStart = {
    watermark,
    coveredFrom: boundIn('covered_from', isNew ? start : saved.covered_from, MIN_INSTANT),
    ranges: ranges ?? [{ since: watermark, until: MAX_INSTANT, cursor: null, origin: 'state' }],
    seen,
    format: formats[0] ?? null,
  };
  return { from, isOtherField, given, texts };
}

function timeIn(stream: string, member: string, text: string): WrittenTime {
  const time = readTime(text);
  if (time === undefined)
    throw invalidState(stream, `${quoted(member)} must be a time, for example "2026-01-01T00:00:00Z"`);
  return time;
}

/** Returns the cursor of a range; null if it was saved with another page size, because it may be a page number. */
function savedCursor(stream: string, chain: StateChain, pageSize: number | undefined): SavedCursor | null {
  const { after, since, newest } = chain;
  // the schema accepts a leap second or a tenth digit in a time
  const started = timeIn(stream, 'chain.started', chain.started).instant;
  const cursor: SavedCursor = {
    after,
    sentAtMs: Date.parse(chain.saved_at),
    createdSince: since,
    started,
    newest: newest === undefined ? MIN_INSTANT : timeIn(stream, 'chain.newest', newest).instant,
  };
  return chain.page_size === pageSize ? cursor : null;
}

function writtenCursor(cursor: SavedCursor, pageSize: number | undefined): StateChain {
  const { after, sentAtMs, createdSince, started, newest } = cursor;
  return {
    after,
    saved_at: new Date(sentAtMs).toISOString(),
    since: createdSince,
    started: writeTime(started, null),
    ...(newest === MIN_INSTANT ? {} : { newest: writeTime(newest, null) }),
    ...(pageSize === undefined ? {} : { page_size: pageSize }),
  };
}

function checkOrder(stream: string, ranges: readonly Range[]): void {
  const wrong = ranges.findIndex(({ since, until }, at) => {
    const next = ranges[at + 1];
    return since >= until || (next === undefined ? until < MAX_INSTANT : until > next.since);
  });
  const rule =
    '"open" must contain ranges in ascending order that do not overlap, and the last one must have no "until"';
  if (wrong !== -1) throw invalidState(stream, `${rule} (see open[${wrong}])`);
}

/** Returns the state of a position; it depends on the position only, not on when it is called. */
export function stateFor(
  { watermark, coveredFrom, ranges, seen, format }: CursorBatch<unknown>['position'],
  { given, texts }: ReturnType<typeof startFrom>,
  { created_field: field, page_size: pageSize }: StartConfig,
): StreamState {
  const written = (instant: Instant): string | undefined => {
    if (instant === MIN_INSTANT || instant === MAX_INSTANT) return undefined;
    const isWritable = floorTo(instant, resolutionOf(format)) === instant;
    return texts.get(instant) ?? writeTime(instant, isWritable ? format : null);
  };
  const open = withFittingCursors(ranges).map(({ since, until, cursor }) => {
    const chain = cursor === null ? undefined : writtenCursor(cursor, pageSize);
    return { since: written(since), until: written(until), chain };
  });
  const isPlain = ranges.length === 1 && ranges[0]?.since === watermark && ranges[0].cursor === null;
  const state: Record<keyof CursorState, unknown> = {
    created_since: written(watermark),
    seen: seen(),
    covered_from: written(coveredFrom),
    created_field: field,
    open: isPlain ? undefined : open,
    complete: undefined,
  };
  // a state written by hand may lack these
  const before = { seen: [], created_field: field, ...given };
  const isUnchanged = JSON.stringify({ ...before, ...state }) === JSON.stringify(before);
  return given !== null && isUnchanged ? { ...given } : state;
}
