import type { CursorState, StateChain, StateRange } from '../generated/cursor-state.generated.ts';
import { validate } from '../generated/validators/cursor-state.generated.ts';
import { ALARMS_STATE } from '../limits.ts';
import type { CursorPosition } from '../paging/cursor-run.ts';
import type { Fingerprint } from '../paging/identities.ts';
import { floorToFormat, readTime, writeTime } from '../paging/instant.ts';
import type { Instant, TimeFormat, WrittenTime } from '../paging/instant.ts';
import { withFittingCursors } from '../paging/open-ranges.ts';
import type { ChainHint, OpenRange } from '../paging/open-ranges.ts';
import { printsIn } from '../paging/seen-rows.ts';
import type { SeenSnapshot } from '../paging/seen-rows.ts';
import type { StreamState } from '../protocol/messages.ts';
import type { NamedFields } from './cursor-fields.ts';
import schema from './cursor-state.schema.json' with { type: 'json' };
import { checkState, invalidState } from './stream.ts';

/** How times are written that the API's format cannot write: RFC 3339 in UTC, exact to the nanosecond. */
const EXACT: TimeFormat = { kind: 'calendar', separator: 'T', seconds: true, fractionDigits: 9, zone: 'Z' };

/** Where a read begins, and what of the state is handed back as it was given. */
export type CursorStreamStart = ReturnType<typeof startFrom>;

/** Where a state leaves off, or the start date; one that is damaged or not in order throws STATE_INVALID. */
export function startFrom(
  stream: string,
  given: CursorState | null,
  { start_date: startDate, created_field: field }: NamedFields & { readonly start_date?: string },
  nowMs: number,
) {
  if (given !== null) checkState(stream, { ...schema, validate }, { ...given }, ['created_since', 'open']);
  const { open, seen = [], created_field: itsField = field, ...saved } = given ?? {};
  // rows that are remembered without any bound: the read began at the beginning, and no time in it could be read
  const isNew = saved.created_since === undefined && open === undefined && seen.length === 0;
  const isOtherField = open !== undefined && itsField !== field;
  const texts = new Map<Instant, string>();
  let format: TimeFormat | null = null;
  const boundIn = (member: string, text: string | undefined): Instant | undefined => {
    if (text === undefined) return undefined;
    const time = timeIn(stream, member, text);
    format ??= time.format;
    texts.set(time.instant, text);
    return time.instant;
  };
  const createdSince = boundIn('created_since', isNew ? startDate : saved.created_since);
  const ranges = (isOtherField ? undefined : open)?.map(({ since, until, chain }): OpenRange => ({
    since: boundIn('open since', since),
    until: boundIn('open until', until),
    chain: chain === undefined ? null : chainFrom(stream, chain, nowMs),
  }));
  checkOrder(stream, ranges ?? []);
  const from: CursorPosition<readonly Fingerprint[]> = {
    createdSince,
    coveredFrom: boundIn('covered_from', isNew ? startDate : saved.covered_from),
    ranges: ranges ?? [{ since: createdSince, until: undefined, chain: null }],
    seen,
    format,
    isFinished: ranges === undefined || saved.complete === true,
  };
  return {
    from,
    /** True if the open ranges are bounded by the times of another field, so that they mean nothing now. */
    isOtherField,
    given,
    /** Times as a person or an earlier read wrote them. */
    texts: texts as ReadonlyMap<Instant, string>,
  };
}

/** The hint in a range, if it is young enough to be tried. */
function chainFrom(stream: string, saved: StateChain, nowMs: number): ChainHint | null {
  const { after, saved_at, since: createdSince, first } = saved;
  const savedAtMs = Date.parse(saved_at);
  const age = nowMs - savedAtMs;
  const started = timeIn(stream, 'chain started', saved.started).instant;
  const newest =
    saved.newest === undefined ? undefined : timeIn(stream, 'chain newest', saved.newest).instant;
  const isYoung = age >= 0 && age < ALARMS_STATE.cursorLifeMs;
  return isYoung ? { after, savedAtMs, createdSince, started, newest, first } : null;
}

function timeIn(stream: string, member: string, text: string): WrittenTime {
  const time = readTime(text);
  if (time === undefined)
    throw invalidState(stream, `${member} must be a time, for example 2026-01-01T00:00:00Z`);
  return time;
}

/** @throws config_error STATE_INVALID if ranges overlap, or are not ascending */
function checkOrder(stream: string, ranges: readonly OpenRange[]): void {
  const index = ranges.findIndex(({ since, until }, at) => {
    const next = ranges[at + 1];
    // the last one, and it alone, has no end
    if (next === undefined || until === undefined) return next !== until;
    return (since !== undefined && since >= until) || next.since === undefined || until > next.since;
  });
  const words = 'open must hold ranges in ascending order that do not overlap, and the last one has no until';
  if (index !== -1) throw invalidState(stream, `${words} (see open[${index}])`);
}

/** The state for a position: the same for the same position, whenever it is asked for. */
export function stateFor<R>(
  { createdSince, coveredFrom, ranges, seen, format, isFinished }: CursorPosition<SeenSnapshot<R>>,
  { given, texts }: CursorStreamStart,
  field: string,
  fingerprintOf: (row: R) => Fingerprint,
): StreamState {
  const written = (instant: Instant | undefined): string | undefined => {
    if (instant === undefined) return undefined;
    const isWritable = format !== null && floorToFormat(instant, format) === instant;
    return texts.get(instant) ?? writeTime(instant, isWritable ? format : EXACT);
  };
  const isWhole = ranges.length === 1 && ranges[0]?.until === undefined && isFinished;
  const open = withFittingCursors(ranges).map(({ since, until, chain }) => {
    const hint = chain === null ? undefined : chainState(chain);
    return present<StateRange>({ since: written(since), until: written(until), chain: hint });
  });
  const state = present<CursorState>({
    created_since: written(createdSince),
    seen: [...printsIn(seen, ranges, fingerprintOf)],
    covered_from: written(coveredFrom),
    ...(isWhole ? {} : { created_field: field, open, complete: isFinished ? true : undefined }),
  });
  return { ...(given !== null && isSame(state, given) ? given : state) };
}

function chainState({ after, savedAtMs, createdSince, started, newest, first }: ChainHint): StateChain {
  return present<StateChain>({
    after,
    saved_at: new Date(savedAtMs).toISOString(),
    since: createdSince,
    started: writeTime(started, EXACT),
    newest: newest === undefined ? undefined : writeTime(newest, EXACT),
    first,
  });
}

/** The members that are there. */
function present<T extends object>(members: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}

/** True if two states say the same of what has been read. */
function isSame(one: CursorState, other: CursorState): boolean {
  const [a, b] = [one, other].map(({ created_since, seen, covered_from, open, complete }) =>
    JSON.stringify([created_since, seen ?? [], covered_from, open, complete]),
  );
  return a === b;
}
