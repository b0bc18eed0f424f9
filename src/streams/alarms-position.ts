import type { AlarmsConfig } from '../config/config.ts';
import type { AlarmsState } from '../generated/alarms-state.generated.ts';
import type { CursorPosition, OpenChain } from '../paging/cursor-read.ts';
import { readTime, writeTime } from '../paging/instant.ts';
import type { Instant, TimeFormat, WrittenTime } from '../paging/instant.ts';
import { MARGIN } from '../paging/watermark.ts';
import type { StreamState } from '../protocol/messages.ts';
import schema from './alarms-state.schema.json' with { type: 'json' };
import { checkState, invalidState } from './parse-state.ts';

/** ms for which a saved cursor is worth a try. */
const CURSOR_LIFE_MS = 60 * 60 * 1000;
/** How we write times of our own into a state: RFC 3339 in UTC, to the millisecond. */
const OWN_FORMAT: TimeFormat = {
  kind: 'calendar',
  separator: 'T',
  seconds: true,
  fractionDigits: 3,
  zone: 'Z',
};

/** A position, and how its watermark was written, so that one that does not move is handed back unchanged. */
export interface AlarmsStart {
  readonly position: CursorPosition;
  readonly createdSince: string | null;
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
  const chain = chainFrom(saved, nowMs);
  const seen = saved.seen ?? [];
  if (text === null) {
    const watermark = { since: undefined, seenSince: undefined, seen };
    return { position: { watermark, format: null, chain }, createdSince: null };
  }
  const { instant, format } = timeIn('created_since', text);
  // a time without `seen` was written by hand: what is older than it is not wanted
  const seenSince =
    saved.created_since !== undefined && saved.seen !== undefined ? instant - MARGIN : instant;
  return { position: { watermark: { since: instant, seenSince, seen }, format, chain }, createdSince: text };
}

/** The state for a position. */
export function stateFor(position: CursorPosition, start: AlarmsStart, nowMs: number): StreamState {
  const { watermark, format, chain } = position;
  const text = createdSinceText(watermark.since, format, start);
  const state: AlarmsState = { ...(text === null ? {} : { created_since: text }), seen: [...watermark.seen] };
  if (chain === null) return { ...state };
  return {
    ...state,
    after: chain.after,
    after_saved_at: new Date(nowMs).toISOString(),
    chain_since: chain.createdSince,
    read_started: writeTime(chain.started, OWN_FORMAT),
  };
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

function chainFrom(saved: AlarmsState, nowMs: number): OpenChain | null {
  const { after, after_saved_at: savedAt, chain_since: createdSince, read_started: startedText } = saved;
  if (after === undefined || savedAt === undefined || startedText === undefined) return null;
  const age = nowMs - Date.parse(savedAt);
  if (!(age >= 0 && age < CURSOR_LIFE_MS)) return null;
  return { after, createdSince: createdSince ?? null, started: timeIn('read_started', startedText).instant };
}

function timeIn(field: string, text: string): WrittenTime {
  const time = readTime(text);
  if (time === undefined)
    throw invalidState('alarms', `${field} must be a time, for example 2026-01-01T00:00:00Z`);
  return time;
}
