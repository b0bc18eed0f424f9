import type { StateOrigin, StateRange, StateRanges } from '../generated/alarms-state.generated.ts';
import type { OpenRanges } from '../paging/cursor-read.ts';
import { writeTime } from '../paging/instant.ts';
import type { Instant, TimeFormat } from '../paging/instant.ts';
import type { Watermark } from '../paging/watermark.ts';
import { chainFrom, chainState } from './chain-state.ts';
import { OWN_FORMAT, ownTime, timeIn } from './own-time.ts';

/** The ranges of a read by several chains, as they stand in a state. */
export function rangesState(ranges: OpenRanges, format: TimeFormat | null, nowMs: number): StateRanges {
  const { open, origin, started, newest } = ranges;
  return {
    open: open.map(({ watermark, until, chain }): StateRange => ({
      ...watermarkState(watermark),
      ...(until === undefined ? {} : { until: ownTime(until) }),
      ...(chain === null ? {} : chainState(chain, nowMs)),
    })),
    origin: watermarkState(origin),
    read_started: ownTime(started),
    ...(newest === undefined ? {} : { newest: writeTime(newest, format ?? OWN_FORMAT) }),
  };
}

/** @throws config_error STATE_INVALID if a time cannot be read */
export function rangesFrom(
  saved: StateRanges,
  nowMs: number,
): OpenRanges & { readonly format: TimeFormat | null } {
  const newest = saved.newest === undefined ? undefined : timeIn('ranges newest', saved.newest);
  return {
    open: saved.open.map((range) => ({
      watermark: watermarkFrom(range),
      until: optional('until', range.until),
      chain: chainFrom(range, saved.read_started, nowMs),
    })),
    origin: watermarkFrom(saved.origin),
    started: timeIn('read_started', saved.read_started).instant,
    newest: newest?.instant,
    format: newest?.format ?? null,
  };
}

function watermarkState({ since, seenSince, seen }: Watermark): StateOrigin {
  return {
    ...(since === undefined ? {} : { since: ownTime(since) }),
    ...(seenSince === undefined ? {} : { seen_since: ownTime(seenSince) }),
    seen: [...seen],
  };
}

function watermarkFrom({ since, seen_since: seenSince, seen }: StateOrigin): Watermark {
  return { since: optional('since', since), seenSince: optional('seen_since', seenSince), seen };
}

function optional(field: string, text: string | undefined): Instant | undefined {
  return text === undefined ? undefined : timeIn(`ranges ${field}`, text).instant;
}
