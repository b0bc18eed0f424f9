import type { CursorState, StateChain } from '../generated/cursor-state.generated.ts';
import { validate } from '../generated/validators/cursor-state.generated.ts';
import { CURSOR_STATE } from '../limits.ts';
import type { Fingerprint, FingerprintOf } from '../paging/identities.ts';
import { MAX_INSTANT, MIN_INSTANT, floorTo, readTime, resolutionOf, writeTime } from '../paging/instant.ts';
import type { Instant, TimeFormat, WrittenTime } from '../paging/instant.ts';
import { withFittingCursors } from '../paging/open-ranges.ts';
import type { CursorPosition, OpenRange } from '../paging/open-ranges.ts';
import { printsIn } from '../paging/seen-rows.ts';
import type { SeenSnapshot } from '../paging/seen-rows.ts';
import type { StreamState } from '../protocol/messages.ts';
import type { NamedFields } from './cursor-fields.ts';
import schema from './cursor-state.schema.json' with { type: 'json' };
import { checkState, invalidState } from './stream.ts';

/** What the config says of where a read begins. */
interface StartConfig extends NamedFields {
  readonly start_date?: string;
  readonly page_size?: number;
}

/** Where a state leaves off, or the start date; one that is damaged or not in order throws STATE_INVALID. */
export function startFrom(
  stream: string,
  state: CursorState | null,
  { start_date: startDate, created_field: field, page_size: pageSize }: StartConfig,
  nowMs: number,
) {
  if (state !== null) checkState(stream, { ...schema, validate }, { ...state }, ['created_since', 'open']);
  // the times of another field mean nothing now
  const isOtherField = (state?.created_field ?? field) !== field;
  const given = isOtherField ? null : state;
  const { open, seen = [], ...saved } = given ?? {};
  // rows that are remembered without any bound: the read began at the beginning, and no time in it could be read
  const isNew = saved.created_since === undefined && open === undefined && seen.length === 0;
  const texts = new Map<Instant, string>(); // as a person or an earlier read wrote them
  let format: TimeFormat | null = null;
  const timeIn = (member: string, text: string): WrittenTime => {
    const time = readTime(text);
    if (time === undefined)
      throw invalidState(stream, `${member} must be a time, for example 2026-01-01T00:00:00Z`);
    return time;
  };
  const boundIn = (member: string, text: string | undefined, absent: Instant): Instant => {
    if (text === undefined) return absent;
    const time = timeIn(member, text);
    format ??= time.format;
    texts.set(time.instant, text);
    return time.instant;
  };
  const isYoung = (ms: number): boolean => ms <= nowMs && nowMs - ms < CURSOR_STATE.cursorLifeMs;
  const hintIn = (chain: StateChain): StateChain | null => {
    // the schema takes a leap second or a tenth digit for a time
    timeIn('chain started', chain.started);
    timeIn('chain newest', chain.newest ?? chain.started);
    // with another page size a cursor that is a page number leads elsewhere
    return isYoung(Date.parse(chain.saved_at)) && chain.page_size === pageSize ? chain : null;
  };
  const createdSince = boundIn('created_since', isNew ? startDate : saved.created_since, MIN_INSTANT);
  const ranges = open?.map(({ since, until, chain }): OpenRange => ({
    since: boundIn('open since', since, MIN_INSTANT),
    until: boundIn('open until', until, MAX_INSTANT),
    chain: chain === undefined ? null : hintIn(chain),
  }));
  const wrong = ranges?.findIndex(({ since, until }, at) => {
    const next = ranges[at + 1];
    return since >= until || (next === undefined ? until < MAX_INSTANT : until > next.since);
  });
  const words = 'open must hold ranges in ascending order that do not overlap, and the last one has no until';
  if (wrong !== undefined && wrong !== -1) throw invalidState(stream, `${words} (see open[${wrong}])`);
  const from: CursorPosition<readonly Fingerprint[]> = {
    createdSince,
    coveredFrom: boundIn('covered_from', isNew ? startDate : saved.covered_from, MIN_INSTANT),
    ranges: ranges ?? [{ since: createdSince, until: MAX_INSTANT, chain: null }],
    seen,
    format,
    isFinished: ranges === undefined || saved.complete === true,
  };
  return { from, isOtherField, given, texts };
}

/** The state for a position: the same for the same position, whenever it is asked for. */
export function stateFor<R>(
  { createdSince, coveredFrom, ranges, seen, format, isFinished }: CursorPosition<SeenSnapshot<R>>,
  { given, texts }: ReturnType<typeof startFrom>,
  field: string,
  fingerprintOf: FingerprintOf<R>,
): StreamState {
  const written = (instant: Instant): string | undefined => {
    if (instant === MIN_INSTANT || instant === MAX_INSTANT) return undefined;
    const isWritable = floorTo(instant, resolutionOf(format)) === instant;
    return texts.get(instant) ?? writeTime(instant, isWritable ? format : null);
  };
  const isWhole = ranges.length === 1 && isFinished;
  const open = withFittingCursors(ranges).map(({ since, until, chain }) => {
    return { since: written(since), until: written(until), chain: chain ?? undefined };
  });
  const state: Record<keyof CursorState, unknown> = {
    created_since: written(createdSince),
    seen: printsIn(seen, ranges, fingerprintOf),
    covered_from: written(coveredFrom),
    created_field: field,
    open: isWhole ? undefined : open,
    complete: isFinished && !isWhole ? true : undefined,
  };
  // a person may leave these out
  const before = { seen: [], created_field: field, ...given };
  const saysSame = JSON.stringify({ ...before, ...state }) === JSON.stringify(before);
  return given !== null && saysSame ? { ...given } : state;
}
