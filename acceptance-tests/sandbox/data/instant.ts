import type { CreatedFormat } from '../knobs/knobs.ts';
import { isoMilliseconds, isoSeconds } from './fast-text.ts';

/**
 * A moment as the API's texts tell it: whole microseconds since 1970 UTC, and the nanoseconds beyond them (0 to 999).
 * Rows are kept in microseconds; their nanoseconds are a function of those, see {@link nanosOf}.
 */
export interface Instant {
  micros: number;
  nanos: number;
}

/** The smallest step, in microseconds, that a format can tell apart (the nanoseconds of a row follow its microsecond). */
export const granule: Record<CreatedFormat, number> = {
  seconds: 1_000_000,
  milliseconds: 1000,
  microseconds: 1,
  nanoseconds: 1,
  epochSeconds: 1_000_000,
  epochMilliseconds: 1000,
  offset: 1000,
  noZone: 1000,
};

/** The nanoseconds shown behind a row's microseconds: 0 on whole milliseconds, else some digits. */
export function nanosOf(micros: number): number {
  return ((micros % 1000) * 7) % 1000;
}

const writers: Record<CreatedFormat, (ms: number, micros: number) => string> = {
  seconds: (ms) => `"${isoSeconds(ms)}Z"`,
  milliseconds: (ms) => `"${isoMilliseconds(ms)}Z"`,
  microseconds: (ms, micros) => `"${isoSeconds(ms)}.${digits(micros % 1_000_000, 6)}Z"`,
  nanoseconds: (ms, micros) =>
    `"${isoSeconds(ms)}.${digits(micros % 1_000_000, 6)}${digits(nanosOf(micros), 3)}Z"`,
  epochSeconds: (ms) => String(Math.floor(ms / 1000)),
  epochMilliseconds: (ms) => String(ms),
  offset: (ms) => `"${isoMilliseconds(ms + 7_200_000)}+02:00"`,
  noZone: (ms) => `"${isoMilliseconds(ms)}"`,
};

/** The JSON text of a created date, quotes included where the format is a string. Cut down, never rounded up. */
export function createdText(micros: number, format: CreatedFormat): string {
  return writers[format](Math.floor(micros / 1000), micros);
}

const isoShape = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)?$/;
const epochShape = /^\d{1,15}$/;

const strictShape: Record<CreatedFormat, RegExp> = {
  seconds: /^[\d:T-]{19}Z$/,
  milliseconds: /^[\d:T-]{19}\.\d{3}Z$/,
  microseconds: /^[\d:T-]{19}\.\d{6}Z$/,
  nanoseconds: /^[\d:T-]{19}\.\d{9}Z$/,
  epochSeconds: /^\d{1,11}$/,
  epochMilliseconds: /^\d{12,15}$/,
  offset: /^[\d:T-]{19}\.\d{3}[+-]\d\d:\d\d$/,
  noZone: /^[\d:T-]{19}\.\d{3}$/,
};

/**
 * Reads a date-time in any of the formats (epoch numbers from 10^11 on are milliseconds; no zone means UTC), or only in
 * the `strict` one. Undefined if it is none.
 */
export function parseInstant(text: string, strict: CreatedFormat | undefined): Instant | undefined {
  if (strict !== undefined && !strictShape[strict].test(text)) return undefined;
  if (epochShape.test(text)) {
    const number = Number(text);
    return { micros: number * (number >= 1e11 ? 1000 : 1_000_000), nanos: 0 };
  }
  const [, date, fraction = '', zone = 'Z'] = isoShape.exec(text) ?? [];
  if (date === undefined) return undefined;
  const ms = Date.parse(date + zone);
  // Date.parse lets 31 February roll over into March.
  if (Number.isNaN(ms) || !new Date(`${date}Z`).toISOString().startsWith(date)) return undefined;
  const nanos = Number(fraction.padEnd(9, '0'));
  return { micros: ms * 1000 + Math.floor(nanos / 1000), nanos: nanos % 1000 };
}

function digits(value: number, count: number): string {
  return String(value).padStart(count, '0');
}
