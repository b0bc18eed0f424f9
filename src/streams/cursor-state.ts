import type { CursorListConfig } from '../generated/config.generated.ts';
import type { CursorState } from '../generated/cursor-state.generated.ts';
import { boundBelow, precisionOf, writtenBound } from '../paging/cursor/bounds.ts';
import { UNKNOWN_SECOND, secondOf, type SeenRow } from '../paging/cursor/known.ts';
import type { CursorPosition, CursorStart, LeftOut } from '../paging/cursor/list.ts';
import { readPrint, writePrint } from '../paging/cursor/print.ts';
import { MIN_INSTANT, readWritten, writeTime } from '../paging/instant.ts';
import type { Instant, WrittenTime } from '../paging/instant.ts';
import type { StreamState } from '../protocol/messages.ts';
import schema from './cursor-state.schema.json' with { type: 'json' };
import { CURSOR_MEMBERS, checkState, noTime, type StateOrigin } from './stream.ts';

/** The form of states that this version writes. */
const VERSION = 2;
const BASE = 36;

/** Where a read begins. */
export interface CursorBegin {
  readonly from: CursorStart;
  readonly given: CursorState | null; // null if there is none, or if it is of another created field
  readonly isOtherField: boolean;
  readonly hasGaps: boolean; // a state of 0.1.0 that had read rows after its lowest open range, of which only some are known
}

/** Returns where a read begins: where the state ends, or at the beginning. Throws STATE_INVALID if the state is damaged. */
export function startFrom(
  origin: StateOrigin,
  state: CursorState | null,
  field: CursorListConfig['created_field'],
): CursorBegin {
  if (state !== null) checkState(origin, schema, { ...state }, CURSOR_MEMBERS);
  // times of another field are meaningless
  const isOtherField = (state?.created_field ?? field) !== field;
  const given = isOtherField ? null : state;
  const nothing = { confirmed: MIN_INSTANT, readAt: null, leftOut: null, floor: MIN_INSTANT };
  if (given === null) {
    const from = { question: MIN_INSTANT, seen: [], ahead: [], format: null, ...nothing };
    return { from, given, isOtherField, hasGaps: false };
  }
  const time = timeReader(origin);
  const { version, created_since: since, seen, seen_ahead: ahead, open } = given;
  const own = since === undefined ? null : time('created_since', since);
  const isByHand = seen === undefined && open === undefined;
  const lowest = open === undefined ? own : lowestOf(open, time);
  const question = version === VERSION && !isByHand ? (own?.instant ?? MIN_INSTANT) : belowTime(lowest);
  const base = version === VERSION ? own : null;
  const from: CursorStart = {
    question,
    format: (lowest ?? own)?.format ?? null,
    seen: (seen ?? []).map((entry) => seenRow(entry, base)),
    ahead: (ahead ?? []).map((entry) => seenRow(entry, base)),
    confirmed: confirmedOf(given, question, time),
    floor: isByHand ? (own?.instant ?? MIN_INSTANT) : MIN_INSTANT,
    readAt: given.read_at === undefined ? null : time('read_at', given.read_at).instant,
    leftOut: leftOutOf(given, time),
  };
  return { from, given, isOtherField, hasGaps: (open?.length ?? 0) > 1 };
}

type TimeReader = (member: string, text: string) => WrittenTime;

function timeReader(origin: StateOrigin): TimeReader {
  return (member, text) => {
    const time = readWritten(text);
    if (time !== undefined) return time;
    throw noTime(origin, member);
  };
}

/** Returns the lower bound of the lowest range; null if it begins where the list does. */
function lowestOf(open: NonNullable<CursorState['open']>, time: TimeReader): WrittenTime | null {
  const bounds = open.map(({ since, until }, index) => {
    if (until !== undefined) time(`open[${index}].until`, until);
    return since === undefined ? null : time(`open[${index}].since`, since);
  });
  return bounds.reduce((lowest, bound) => {
    if (lowest === null || bound === null) return null;
    return bound.instant < lowest.instant ? bound : lowest;
  });
}

/** Returns the question for all rows from a time on. */
function belowTime(time: WrittenTime | null): Instant {
  return time === null ? MIN_INSTANT : boundBelow(time.instant, precisionOf(0n, time.format));
}

/** Returns the last question that has returned rows of `seen`; null in a state is the beginning of the list. */
function confirmedOf({ confirmed_since: since }: CursorState, question: Instant, time: TimeReader): Instant {
  if (since === undefined) return question;
  return since === null ? MIN_INSTANT : time('confirmed_since', since).instant;
}

function leftOutOf({ left_out: leftOut }: CursorState, time: TimeReader): LeftOut | null {
  if (leftOut === undefined) return null;
  const since = time('left_out.since', leftOut.since).instant;
  return { since, until: time('left_out.until', leftOut.until).instant };
}

/** `base` is the time from which the seconds of entries are counted; null for 1970. */
function seenRow(entry: string, base: WrittenTime | null): SeenRow {
  const [text = '', second] = entry.split(':');
  const print = readPrint(text);
  if (second === undefined) return { print, second: UNKNOWN_SECOND };
  return { print, second: baseSecond(base) + Number.parseInt(second, BASE) };
}

function baseSecond(question: WrittenTime | null): number {
  return question === null ? 0 : secondOf(question.instant);
}

/** Returns the state of a position; `readAt` is null unless the read is finished. */
export function stateFor(
  { question, confirmed, seen, ahead, format, leftOut }: CursorPosition,
  readAt: Instant | null,
  field: string,
): StreamState {
  const since = writtenBound(question, format);
  const base = baseSecond(readWritten(since ?? '') ?? null);
  const entryOf = ({ print, second }: SeenRow): string =>
    `${writePrint(print)}:${(second - base).toString(BASE)}`;
  const state: Record<keyof CursorState, unknown> = {
    version: VERSION,
    created_since: since ?? undefined,
    seen: seen.map(entryOf),
    seen_ahead: ahead.length === 0 ? undefined : ahead.map(entryOf),
    created_field: field,
    confirmed_since: confirmed < question ? writtenBound(confirmed, format) : undefined,
    read_at: readAt === null ? undefined : writeTime(readAt, null),
    left_out: leftOut === null ? undefined : writtenGap(leftOut),
    open: undefined,
    covered_from: undefined,
    complete: undefined,
  };
  return state;
}

function writtenGap({ since, until }: LeftOut): CursorState['left_out'] {
  return { since: writeTime(since, null), until: writeTime(until, null) };
}
