import type { CursorState, StateChain, StateRange } from '../generated/cursor-state.generated.ts';
import { validate } from '../generated/validators/cursor-state.generated.ts';
import { ALARMS_STATE } from '../limits.ts';
import type { CursorPosition } from '../paging/cursor-run.ts';
import type { Fingerprint } from '../paging/identities.ts';
import { floorToFormat, readTime, writeTime } from '../paging/instant.ts';
import type { Instant, TimeFormat } from '../paging/instant.ts';
import { withFittingCursors } from '../paging/open-ranges.ts';
import type { ChainHint, OpenRange } from '../paging/open-ranges.ts';
import { printsIn } from '../paging/seen-rows.ts';
import type { SeenSnapshot } from '../paging/seen-rows.ts';
import type { StreamState } from '../protocol/messages.ts';
import type { NamedFields } from './cursor-fields.ts';
import schema from './cursor-state.schema.json' with { type: 'json' };
import { checkState, invalidState } from './stream.ts';

/** How times are written that the API's format cannot write: RFC 3339 in UTC, exact to the nanosecond. */
const EXACT: TimeFormat = {
  kind: 'calendar',
  separator: 'T',
  seconds: true,
  fractionDigits: 9,
  zone: 'Z',
};

/** Where a read begins, and what of the state is handed back as it was given. */
export interface CursorStreamStart {
  readonly from: CursorPosition<readonly Fingerprint[]>;
  /** True if the open ranges are bounded by the times of another field, so that they mean nothing now. */
  readonly isOtherField: boolean;
  readonly given: CursorState | null;
  /** Times as a person or an earlier read wrote them. */
  readonly texts: ReadonlyMap<Instant, string>;
}

/**
 * Where a state leaves off, or the start date where there is no state.
 *
 * @throws config_error STATE_INVALID if the state is damaged, a time in it cannot be read, or its ranges are not in order
 */
export function startFrom(
  stream: string,
  given: CursorState | null,
  { start_date: startDate, created_field: field }: NamedFields & { readonly start_date?: string },
  nowMs: number,
): CursorStreamStart {
  if (given !== null) checkState(stream, { ...schema, validate }, { ...given }, ['created_since', 'open']);
  const { open, seen = [], created_field: itsField = field, ...saved } = given ?? {};
  // rows that are remembered without any bound: the read began at the beginning, and no time in it could be read
  const isNew = saved.created_since === undefined && open === undefined && seen.length === 0;
  const isOtherField = open !== undefined && itsField !== field;
  const sinceText = isNew ? startDate : saved.created_since;
  const coveredText = isNew ? startDate : saved.covered_from;
  const createdSince = timeIn(stream, 'created_since', sinceText);
  const coveredFrom = timeIn(stream, 'covered_from', coveredText);
  const ranges = isOtherField ? undefined : open?.map((range) => rangeFrom(stream, range, nowMs));
  if (ranges !== undefined) checkOrder(stream, ranges);
  const bounds = isOtherField ? [] : (open ?? []).flatMap(({ since, until }) => [since, until]);
  const times = [sinceText, ...bounds, coveredText]
    .filter((text) => text !== undefined)
    .map((text) => ({ text, ...readTime(text) }));
  return {
    from: {
      createdSince,
      coveredFrom,
      ranges: ranges ?? [{ since: createdSince, until: undefined, chain: null }],
      seen,
      format: times[0]?.format ?? null,
      isFinished: ranges === undefined || saved.complete === true,
    },
    isOtherField,
    given,
    texts: new Map(times.map(({ instant = 0n, text }) => [instant, text])),
  };
}

/** The state for a position: the same for the same position, whenever it is asked for. */
export function stateFor<R>(
  { createdSince, coveredFrom, ranges, seen, format, isFinished }: CursorPosition<SeenSnapshot<R>>,
  { given, texts }: CursorStreamStart,
  field: string,
  fingerprintOf: (row: R) => Fingerprint,
): StreamState {
  const written = (instant: Instant): string => texts.get(instant) ?? timeText(instant, format);
  const isWhole = ranges.length === 1 && ranges[0]?.until === undefined && isFinished;
  const open = withFittingCursors(ranges).map((range) => rangeState(range, written));
  const state: CursorState = {
    ...(createdSince === undefined ? {} : { created_since: written(createdSince) }),
    seen: [...printsIn(seen, ranges, fingerprintOf)],
    ...(coveredFrom === undefined ? {} : { covered_from: written(coveredFrom) }),
    ...(isWhole ? {} : { created_field: field, open, ...(isFinished ? { complete: true } : {}) }),
  };
  return { ...(given !== null && isSame(state, given) ? given : state) };
}

/** True if two states say the same of what has been read. */
function isSame(one: CursorState, other: CursorState): boolean {
  const [a, b] = [one, other].map(({ created_since, seen, covered_from, open, complete }) =>
    JSON.stringify([created_since, seen ?? [], covered_from, open, complete]),
  );
  return a === b;
}

/** A time in the API's format, where that can write it. */
function timeText(instant: Instant, format: TimeFormat | null): string {
  const isWritable = format !== null && floorToFormat(instant, format) === instant;
  return writeTime(instant, isWritable ? format : EXACT);
}

function rangeState({ since, until, chain }: OpenRange, written: (instant: Instant) => string): StateRange {
  return {
    ...(since === undefined ? {} : { since: written(since) }),
    ...(until === undefined ? {} : { until: written(until) }),
    ...(chain === null ? {} : { chain: chainState(chain) }),
  };
}

function chainState({ after, savedAtMs, createdSince, started, newest, first }: ChainHint): StateChain {
  return {
    after,
    saved_at: new Date(savedAtMs).toISOString(),
    since: createdSince,
    started: writeTime(started, EXACT),
    ...(newest === undefined ? {} : { newest: writeTime(newest, EXACT) }),
    ...(first === undefined ? {} : { first }),
  };
}

function rangeFrom(stream: string, { since, until, chain }: StateRange, nowMs: number): OpenRange {
  return {
    since: timeIn(stream, 'open since', since),
    until: timeIn(stream, 'open until', until),
    chain: chain === undefined ? null : chainFrom(stream, chain, nowMs),
  };
}

/** The hint in a range, if it is young enough to be tried. */
function chainFrom(stream: string, saved: StateChain, nowMs: number): ChainHint | null {
  const savedAtMs = Date.parse(saved.saved_at);
  const age = nowMs - savedAtMs;
  const started = timeIn(stream, 'chain started', saved.started);
  const newest = timeIn(stream, 'chain newest', saved.newest);
  if (!(age >= 0 && age < ALARMS_STATE.cursorLifeMs) || started === undefined) return null;
  return { after: saved.after, savedAtMs, createdSince: saved.since, started, newest, first: saved.first };
}

/** @throws config_error STATE_INVALID if ranges overlap, or are not ascending */
function checkOrder(stream: string, ranges: readonly OpenRange[]): void {
  for (const [index, { since, until }] of ranges.entries()) {
    const next = ranges[index + 1];
    const isLast = next === undefined;
    const isEmpty = since !== undefined && until !== undefined && since >= until;
    const isBehind = isLast || (until !== undefined && next.since !== undefined && until <= next.since);
    if (isEmpty || !isBehind || (isLast && until !== undefined))
      throw invalidState(
        stream,
        `open must hold ranges in ascending order that do not overlap, and the last one has no until (see open[${index}])`,
      );
  }
}

function timeIn(stream: string, field: string, text: string | undefined): Instant | undefined {
  if (text === undefined) return undefined;
  const time = readTime(text);
  if (time === undefined)
    throw invalidState(stream, `${field} must be a time, for example 2026-01-01T00:00:00Z`);
  return time.instant;
}
