import type { AlarmsState } from '../generated/alarms-state.generated.ts';
import { validate } from '../generated/validators/alarms-state.generated.ts';
import type { CursorPosition } from '../paging/cursor-read.ts';
import { writeTime } from '../paging/instant.ts';
import type { Instant, TimeFormat } from '../paging/instant.ts';
import { MARGIN } from '../paging/watermark.ts';
import type { Watermark } from '../paging/watermark.ts';
import type { StreamState } from '../protocol/messages.ts';
import { rangesFrom, rangesState } from './alarms-ranges.ts';
import schema from './alarms-state.schema.json' with { type: 'json' };
import { chainFrom, chainState } from './chain-state.ts';
import { OWN_FORMAT, ownTime, timeIn } from './own-time.ts';
import { checkState } from './parse-state.ts';

/** A position, and how its watermark was written, so that one that does not move is handed back unchanged. */
export interface AlarmsStart {
  readonly position: CursorPosition;
  readonly createdSince: string | null;
  /** The start date from which on the reads so far have covered the list; null if it is not known, or the beginning. */
  readonly coveredFrom: string | null;
  /** A stretch before that which is not finished. */
  readonly earlier: AlarmsState['earlier'];
  /** What rows are left out by. */
  readonly endDate: string | null;
  /** True if an unfinished read by several chains has to begin again, because it left rows out by another end date. */
  readonly beginsAgain: boolean;
  readonly state: StreamState | null;
}

/** @throws config_error STATE_INVALID if the state is damaged */
export function checkAlarmsState(state: StreamState): void {
  checkState('alarms', { ...schema, validate }, state, ['created_since', 'ranges']);
}

/**
 * The position in a checked state, or at the start date where there is no state.
 *
 * @throws config_error STATE_INVALID if a time in it cannot be read
 */
export function startFrom(
  state: StreamState | null,
  startDate: string | undefined,
  endDate: string | null,
  nowMs: number,
): AlarmsStart {
  const saved: AlarmsState = state ?? {};
  const text = saved.created_since ?? startDate ?? null;
  const written = text === null ? null : timeIn('created_since', text);
  const holds = (saved.end_date ?? null) === endDate;
  const ranges = saved.ranges === undefined ? null : rangesFrom(saved.ranges, nowMs);
  const beginsAgain = ranges !== null && !holds;
  const position: CursorPosition = {
    watermark: beginsAgain ? ranges.origin : watermarkFrom(saved, written?.instant),
    format: written?.format ?? ranges?.format ?? null,
    chain: holds ? chainFrom(saved, saved.read_started, nowMs) : null,
    ranges: holds ? ranges : null,
  };
  const isAnew = saved.created_since === undefined && ranges === null;
  const coveredFrom = saved.covered_from ?? (isAnew ? startDate : undefined) ?? null;
  return { position, createdSince: text, coveredFrom, earlier: saved.earlier, endDate, beginsAgain, state };
}

/** The state for a position. */
export function stateFor(position: CursorPosition, start: AlarmsStart, nowMs: number): StreamState {
  const { watermark, format, chain, ranges } = position;
  const { watermark: before, chain: openBefore, ranges: rangesBefore } = start.position;
  const isUnchanged = watermark === before && chain === null && openBefore === null && rangesBefore === null;
  const coversTheSame = (start.state?.['covered_from'] ?? null) === start.coveredFrom;
  if (isUnchanged && coversTheSame && start.state !== null) return start.state;
  const text = createdSinceText(watermark.since, format, start);
  const { since, seenSince } = watermark;
  const isUsual = seenSince === undefined || (since !== undefined && seenSince === since - MARGIN);
  const state: AlarmsState = {
    ...(text === null ? {} : { created_since: text }),
    seen: [...watermark.seen],
    ...(start.endDate === null || (chain === null && ranges === null) ? {} : { end_date: start.endDate }),
    ...(start.coveredFrom === null ? {} : { covered_from: start.coveredFrom }),
    ...(start.earlier === undefined ? {} : { earlier: start.earlier }),
    ...(isUsual ? {} : { seen_since: ownTime(seenSince) }),
    ...(ranges === null ? {} : { ranges: rangesState(ranges, format, nowMs) }),
  };
  return chain === null
    ? { ...state }
    : { ...state, ...chainState(chain, nowMs), read_started: ownTime(chain.started) };
}

function watermarkFrom(saved: AlarmsState, since: Instant | undefined): Watermark {
  const seen = saved.seen ?? [];
  if (since === undefined) return { since, seenSince: undefined, seen };
  if (saved.seen_since !== undefined)
    return { since, seenSince: timeIn('seen_since', saved.seen_since).instant, seen };
  // a time without `seen` was written by hand, or is the start date: what is older than it is not wanted
  const isOwn = saved.created_since !== undefined && saved.seen !== undefined;
  return { since, seenSince: isOwn ? since - MARGIN : since, seen };
}

function createdSinceText(
  since: Instant | undefined,
  format: TimeFormat | null,
  start: AlarmsStart,
): string | null {
  if (since === undefined) return null;
  if (since === start.position.watermark.since && start.createdSince !== null) return start.createdSince;
  return writeTime(since, format ?? OWN_FORMAT);
}
