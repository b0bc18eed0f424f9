/** Whole microseconds since 1970 UTC, and the remaining nanoseconds (0 to 999). */
export interface Instant {
  micros: number;
  nanos: number;
}

/** Formats of created times: the resolution in microseconds, and the truncated JSON text. */
export const formats = {
  milliseconds: { step: 1000, write: (ms) => `"${iso(ms)}Z"` },
  seconds: { step: 1_000_000, write: (ms) => `"${iso(ms).slice(0, 19)}Z"` },
  microseconds: { step: 1, write: (ms, micros) => `"${iso(ms)}${digits(micros % 1000)}Z"` },
  nanoseconds: {
    step: 1,
    write: (ms, micros) => `"${iso(ms)}${digits(micros % 1000)}${digits(nanosOf(micros))}Z"`,
  },
  epochSeconds: { step: 1_000_000, write: (ms) => String(Math.floor(ms / 1000)) },
  epochMilliseconds: { step: 1000, write: String },
  offset: { step: 1000, write: (ms) => `"${iso(ms + 7_200_000)}+02:00"` },
  noZone: { step: 1000, write: (ms) => `"${iso(ms)}"` },
} satisfies Record<string, { step: number; write: (ms: number, micros: number) => string }>;

export type CreatedFormat = keyof typeof formats;

/** The nanoseconds of a row, derived from its microseconds: 0 for whole milliseconds. */
export const nanosOf = (micros: number): number => ((micros % 1000) * 7) % 1000;

export function createdText(micros: number, format: CreatedFormat): string {
  return formats[format].write(Math.floor(micros / 1000), micros);
}

/** Texts that differ only in their digits have the same shape. */
const shapeOf = (text: string): string => text.replace(/\d/g, '0').replaceAll('"', '');
const someMicros = Date.UTC(2025) * 1000;
const isoShape = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)?$/;

/**
 * Parses a date-time in any of the formats, or in the `strict` one only. Epoch numbers from 10^11 are milliseconds; the
 * default time zone is UTC. Returns undefined for other texts.
 */
export function parseInstant(text: string, strict: CreatedFormat | undefined): Instant | undefined {
  if (strict !== undefined && shapeOf(text) !== shapeOf(createdText(someMicros, strict))) return undefined;
  if (/^\d{1,15}$/.test(text)) {
    const number = Number(text);
    return { micros: number * (number >= 1e11 ? 1000 : 1_000_000), nanos: 0 };
  }
  const [, date, fraction = '', zone = 'Z'] = isoShape.exec(text) ?? [];
  if (date === undefined) return undefined;
  const ms = Date.parse(date + zone);
  // Date.parse turns 31 February into a day in March
  if (Number.isNaN(ms) || !new Date(`${date}Z`).toISOString().startsWith(date)) return undefined;
  const nanos = Number(fraction.padEnd(9, '0'));
  return { micros: ms * 1000 + Math.floor(nanos / 1000), nanos: nanos % 1000 };
}

/** `2025-01-31T23:59:59.999` */
const iso = (ms: number): string => new Date(ms).toISOString().slice(0, -1);

const digits = (value: number): string => String(value).padStart(3, '0');
