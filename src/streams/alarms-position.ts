import type { AlarmsConfig } from '../config/config.ts';
import type { AlarmsState } from '../generated/alarms-state.generated.ts';
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
  readonly state: StreamState | null;
}

/**
 * The position in a state, or at the config's start date where there is no state.
 *
 * @throws config_error STATE_INVALID if the state is damaged
 */
export function startFrom(state: StreamState | null, config: AlarmsConfig, nowMs: number): AlarmsStart {
  if (state !== null) checkState('alarms', schema, state);
  const saved: AlarmsState = state ?? {};
  const text = saved.created_since ?? config.start_date ?? null;
  const written = text === null ? null : timeIn('created_since', text);
  const ranges = saved.ranges === undefined ? null : rangesFrom(saved.ranges, nowMs);
  const position: CursorPosition = {
    watermark: watermarkFrom(saved, written?.instant),
    format: written?.format ?? ranges?.format ?? null,
    chain: chainFrom(saved, saved.read_started, nowMs),
    ranges,
  };
  return { position, createdSince: text, state };
}

/** The state for a position. */
export function stateFor(position: CursorPosition, start: AlarmsStart, nowMs: number): StreamState {
  const { watermark, format, chain, ranges } = position;
  const { watermark: before, chain: openBefore, ranges: rangesBefore } = start.position;
  const isUnchanged = watermark === before && chain === null && openBefore === null && rangesBefore === null;
  if (isUnchanged && start.state !== null) return start.state;
  const text = createdSinceText(watermark.since, format, start);
  const { since, seenSince } = watermark;
  const isUsual = seenSince === undefined || (since !== undefined && seenSince === since - MARGIN);
  const state: AlarmsState = {
    ...(text === null ? {} : { created_since: text }),
    seen: [...watermark.seen],
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
