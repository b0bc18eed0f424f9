/** A point in time: ns since the epoch, exact. */
export type Instant = bigint;

/** How a time is written, so that another one can be written in the same way. */
export type TimeFormat =
  | {
      readonly kind: 'calendar';
      /** Between date and time; empty if there is no time at all. */
      readonly separator: string;
      /** 0: down to the minute, 1: to the second. */
      readonly seconds: boolean;
      readonly fractionDigits: number;
      /** As written: `Z`, `+02:00`, or empty where no zone is written (taken as UTC). */
      readonly zone: string;
    }
  | {
      readonly kind: 'epoch';
      /** ns of one unit: seconds, milliseconds, microseconds or nanoseconds. */
      readonly unit: bigint;
      readonly fractionDigits: number;
    };

export interface WrittenTime {
  readonly instant: Instant;
  readonly format: TimeFormat;
}

const SECOND = 1_000_000_000n;
const MINUTE = 60n * SECOND;
const DAY = 24n * 60n * MINUTE;
const MS = 1_000_000n;
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const NS_DIGITS = 9;

const CALENDAR =
  /^(\d{4}-\d\d-\d\d)(?:([Tt ])(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/;
const EPOCH = /^(-?\d{1,19})(?:\.(\d{1,9}))?$/;

/**
 * Reads a time from the text of a JSON string or number: RFC 3339 and its usual variants (blank for `T`, no seconds, no
 * zone, date only), or an epoch in seconds to nanoseconds, told apart by its size. Exact to the nanosecond.
 * Undefined if it cannot be read as a time without a guess.
 */
export function readTime(text: string): WrittenTime | undefined {
  const calendar = CALENDAR.exec(text);
  if (calendar !== null) return readCalendar(calendar);
  const epoch = EPOCH.exec(text);
  return epoch === null ? undefined : readEpoch(epoch[1] ?? '', epoch[2] ?? '');
}

function readCalendar(parts: RegExpExecArray): WrittenTime | undefined {
  const [, date = '', separator = '', hours = '0', minutes = '0', second, fraction = '', zone = ''] = parts;
  const [h, m, s] = [Number(hours), Number(minutes), Number(second ?? '0')];
  const day = dayMs(date);
  const offset = zoneMinutes(zone);
  if (day === undefined || h > 23 || m > 59 || s > 59 || offset === undefined) return undefined;
  const ms = day + h * HOUR_MS + (m - offset) * MINUTE_MS + s * SECOND_MS;
  const ns = fraction === '' ? 0n : BigInt(fraction.padEnd(NS_DIGITS, '0'));
  return {
    instant: BigInt(ms) * MS + ns,
    format: {
      kind: 'calendar',
      separator,
      seconds: second !== undefined,
      fractionDigits: fraction.length,
      zone,
    },
  };
}

/** The day read last: rows of a list come day by day. */
let lastDay: { readonly date: string; readonly ms: number | undefined } = { date: '', ms: undefined };

/** ms from the epoch to the start of a day of the calendar; undefined if there is no such day. */
function dayMs(date: string): number | undefined {
  if (date !== lastDay.date) {
    const ms = Date.parse(date);
    // Date.parse takes February 30 for March 2, and years below 100 have no place in the life of a fleet
    const exists = date >= '0100' && !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date);
    lastDay = { date, ms: exists ? ms : undefined };
  }
  return lastDay.ms;
}

function readEpoch(whole: string, fraction: string): WrittenTime | undefined {
  const size = BigInt(whole.replace('-', ''));
  // smaller numbers are rather a date without dashes, or no time at all
  if (size < 10n ** 8n) return undefined;
  // seconds up to the year 5138, milliseconds from 1973, and so on: no two units meet within the life of a fleet
  const unit = size < 10n ** 11n ? SECOND : size < 10n ** 14n ? MS : size < 10n ** 17n ? 1000n : 1n;
  const sign = whole.startsWith('-') ? -1n : 1n;
  const part = (BigInt(fraction.padEnd(NS_DIGITS, '0')) * unit) / SECOND;
  return {
    instant: sign * (size * unit + part),
    format: { kind: 'epoch', unit, fractionDigits: fraction.length },
  };
}

function zoneMinutes(zone: string): number | undefined {
  if (zone === '' || zone.toUpperCase() === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = zone.length > 3 ? Number(zone.slice(-2)) : 0;
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/** Writes a time in a format; what is finer than the format is cut off, downwards. */
export function writeTime(instant: Instant, format: TimeFormat): string {
  const floored = floorTo(instant, granuleOf(format));
  if (format.kind === 'epoch') return writeEpoch(floored, format.unit, format.fractionDigits);
  const local = floored + BigInt(zoneMinutes(format.zone) ?? 0) * MINUTE;
  const second = floorTo(local, SECOND);
  const iso = new Date(Number(second / MS)).toISOString();
  if (format.separator === '') return iso.slice(0, 10);
  const fraction = (local - second).toString().padStart(NS_DIGITS, '0').slice(0, format.fractionDigits);
  const time = iso.slice(11, format.seconds ? 19 : 16) + (fraction === '' ? '' : `.${fraction}`);
  return `${iso.slice(0, 10)}${format.separator}${time}${format.zone}`;
}

function writeEpoch(instant: Instant, unit: bigint, fractionDigits: number): string {
  const sign = instant < 0n ? '-' : '';
  const size = instant < 0n ? -instant : instant;
  const fraction = ((size % unit) * SECOND) / unit;
  const digits = fraction.toString().padStart(NS_DIGITS, '0').slice(0, fractionDigits);
  return `${sign}${size / unit}${digits === '' ? '' : `.${digits}`}`;
}

/** The smallest step that a format can write, in ns. */
export function granuleOf(format: TimeFormat): bigint {
  if (format.kind === 'epoch') return atLeastOne(format.unit / 10n ** BigInt(format.fractionDigits));
  if (format.separator === '') return DAY;
  return format.seconds ? SECOND / 10n ** BigInt(format.fractionDigits) : MINUTE;
}

/** The latest time not after `instant` that the format can write; the time itself where no format is known. */
export function floorToFormat(instant: Instant, format: TimeFormat | null): Instant {
  return format === null ? instant : floorTo(instant, granuleOf(format));
}

/** The finer of two formats that differ in their fraction only; otherwise the later one. */
export function finerFormat(before: TimeFormat | null, now: TimeFormat): TimeFormat {
  return before !== null && before.kind === now.kind && before.fractionDigits > now.fractionDigits
    ? { ...now, fractionDigits: before.fractionDigits }
    : now;
}

function floorTo(instant: Instant, step: bigint): Instant {
  const rest = instant % step;
  return rest < 0n ? instant - rest - step : instant - rest;
}

function atLeastOne(value: bigint): bigint {
  return value < 1n ? 1n : value;
}

/** The later of two times; the other one if one is undefined. */
export function laterOf(a: Instant | undefined, b: Instant | undefined): Instant | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a > b ? a : b;
}

/** The earlier of two times; the other one if one is undefined. */
export function earlierOf(a: Instant, b: Instant | undefined): Instant;
export function earlierOf(a: Instant | undefined, b: Instant | undefined): Instant | undefined;
export function earlierOf(a: Instant | undefined, b: Instant | undefined): Instant | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a < b ? a : b;
}
