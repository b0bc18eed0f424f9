import { startOfDay } from '../rows/times.ts';
import { OTHER_DIGITS, withoutExponent } from './digits.ts';

/** A point in time: ns since the epoch, exact. */
export type Instant = bigint;

/** Before and after all readable times; also used for open bounds and unknown times. */
export const MIN_INSTANT: Instant = -(1n << 80n);
export const MAX_INSTANT: Instant = 1n << 80n;

/** The format of a time, so that other times can be written in the same way. */
export type TimeFormat =
  | {
      readonly kind: 'calendar';
      readonly separator: string; // between date and time; empty if there is no time at all
      readonly seconds: boolean;
      readonly fractionDigits: number;
      // empty where there is none, which is taken as UTC; offsets differ from row to row, and are not kept
      readonly zone: 'Z' | '' | '+00:00' | '+0000';
      readonly compact?: 'digits' | 'basic'; // `20260102030405`, or as ISO 8601 allows it, `20260102T030405Z`
    }
  // `unit` in ns: of a second, a millisecond, a microsecond or a nanosecond
  | { readonly kind: 'epoch'; readonly unit: bigint; readonly fractionDigits: number };

/** RFC 3339 in UTC, exact to the nanosecond. */
const EXACT: TimeFormat = { kind: 'calendar', separator: 'T', seconds: true, fractionDigits: 9, zone: 'Z' };

export interface WrittenTime {
  readonly instant: Instant;
  readonly format: TimeFormat;
}

export const MS = 1_000_000n; // in ns, as all lengths of time here
const SECOND = 1000n * MS;
export const MINUTE = 60n * SECOND;
export const HOUR = 60n * MINUTE;
export const DAY = 24n * HOUR;
const NS_DIGITS = 9;

/** What follows a date: nothing, or a time of day. After it may be names of its zone, in brackets (RFC 9557) or, as Go writes them, after the offset. */
const TIME_OF_DAY =
  /^(?:([Tt ])([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?\s?(?:([Zz]|UTC|GMT|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)(?:\[[^\]]*\])*( ?[A-Z]{1,5})?)?)?$/;
const EPOCH = /^([1-9]\d{0,18})(?:\.(\d{1,9}))?$/;
/** yyyyMMdd, and a time of day to the minute, the second or the millisecond. */
const DIGITS = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(?:(\d\d)(\d{3})?)?)?$/;
/** The basic form of ISO 8601. */
const BASIC = /^(\d{4})(\d\d)(\d\d)(T\d\d)(\d\d)(\d\d)?(\D.*)?$/;

/**
 * Reads a time from the text of a JSON string or number: RFC 3339 and its usual variants (space for `T`, no seconds, no
 * zone, `UTC` for `Z`, date only), the same in the basic form of ISO 8601, the digits of a date with or without a time of day, or a Unix time in s to
 * ns, distinguished by its size. Exact to the nanosecond. Undefined if the text is not unambiguously a time, as digits of another form.
 */
export function readTime(text: string): WrittenTime | undefined {
  if (text[4] === '-' && text[7] === '-') return readCalendar(text);
  if (text[8] === 'T') return readBasic(text);
  const number = withoutExponent(text);
  const read = OTHER_DIGITS.test(number) ? undefined : readNumber(number);
  return read !== undefined && read.instant >= YEARS.from && read.instant < YEARS.until ? read : undefined;
}

/** Reads a time as this program wrote it, as in a state. It is known to be one, whatever else its digits may be. */
export function readWritten(text: string): WrittenTime | undefined {
  return readTime(text) ?? readNumber(text);
}

function readNumber(text: string): WrittenTime | undefined {
  const [, whole, fraction = ''] = EPOCH.exec(text) ?? [];
  return (whole === undefined ? undefined : readEpoch(whole, fraction)) ?? readDigits(text);
}

function readDigits(text: string): WrittenTime | undefined {
  const [, year, month, day, hours, minutes, seconds, fraction] = DIGITS.exec(text) ?? [];
  if (year === undefined) return undefined;
  const end = fraction === undefined ? '' : `.${fraction}`;
  const time =
    hours === undefined ? '' : `T${hours}:${minutes}${seconds === undefined ? '' : `:${seconds}`}${end}`;
  return readCompact(`${year}-${month}-${day}${time}`, 'digits');
}

function readBasic(text: string): WrittenTime | undefined {
  const [, year, month, day, hours, minutes, seconds, end = ''] = BASIC.exec(text) ?? [];
  if (year === undefined) return undefined;
  const second = seconds === undefined ? '' : `:${seconds}`;
  return readCompact(`${year}-${month}-${day}${hours}:${minutes}${second}${end}`, 'basic');
}

function readCompact(text: string, compact: 'digits' | 'basic'): WrittenTime | undefined {
  const read = readCalendar(text);
  return read?.format.kind === 'calendar'
    ? { instant: read.instant, format: { ...read.format, compact } }
    : undefined;
}

/** The time in `text`, which is written by this program or a config, or `fallback`. */
export function instantOf(text: string | undefined, fallback: Instant): Instant {
  return readWritten(text ?? '')?.instant ?? fallback;
}

function readCalendar(text: string): WrittenTime | undefined {
  const day = dayAt(text.slice(0, 10));
  if (day === undefined) return undefined;
  const known = nsIn(text, lastForm);
  if (!Number.isNaN(known)) return { instant: day + BigInt(known), format: lastForm.format };
  const parts = TIME_OF_DAY.exec(text.slice(10));
  if (parts === null) return undefined;
  const [, separator = '', hours = 0, minutes = 0, second, fraction = '', zone = '', name = ''] = parts;
  const zoneNs = zoneMinutes(zone) * 60_000_000_000;
  // a name alone does not say which offset it stands for
  if (name !== '' && (!/^[+-]/.test(zone) || (zoneNs !== 0 && /Z|UTC|GMT/.test(name)))) return undefined;
  const clock = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(second ?? 0)) * 1_000_000_000;
  // a number is exact within a day
  const ns = clock - zoneNs + Number(fraction.padEnd(NS_DIGITS, '0'));
  const [seconds, fractionDigits] = [second !== undefined, fraction.length];
  const format = {
    kind: 'calendar',
    separator,
    seconds,
    fractionDigits,
    zone: zone === '' ? '' : 'Z',
  } as const;
  if (seconds)
    lastForm = { text, end: text.slice(fractionDigits === 0 ? 19 : 20 + fractionDigits), zoneNs, format };
  return { instant: day + BigInt(ns), format };
}

/** How a time is written. */
interface Form {
  readonly text: string;
  readonly end: string; // of the text, after the seconds and their fraction
  readonly zoneNs: number;
  readonly format: TimeFormat & { readonly kind: 'calendar' };
}

/** That of the last time with seconds: consecutive rows are mostly written alike, and are read in a quarter of the time then. */
let lastForm: Form = {
  text: '1970-01-01T00:00:00Z',
  end: 'Z',
  zoneNs: 0,
  format: { kind: 'calendar', separator: 'T', seconds: true, fractionDigits: 0, zone: 'Z' },
};

/** Returns the ns since the start of the day (in UTC) of a text that is written in a form; NaN if it is written in another. */
function nsIn(text: string, { text: like, end, zoneNs, format: { fractionDigits } }: Form): number {
  if (text.length !== like.length || !text.endsWith(end)) return NaN;
  // a loop would take twice as long
  if (text[10] !== like[10] || text[13] !== ':' || text[16] !== ':' || text[19] !== like[19]) return NaN;
  const hours = digitsAt(text, 11, 2);
  const minutes = digitsAt(text, 14, 2);
  const seconds = digitsAt(text, 17, 2);
  if (!(hours < 24 && minutes < 60 && seconds < 60)) return NaN;
  const fraction = digitsAt(text, 20, fractionDigits) * (FRACTION_NS[fractionDigits] ?? 0);
  return ((hours * 60 + minutes) * 60 + seconds) * 1_000_000_000 - zoneNs + fraction;
}

/** ns in the last digit of a fraction, by its number of digits. */
const FRACTION_NS = Array.from({ length: NS_DIGITS + 1 }, (_, digits) => 10 ** (NS_DIGITS - digits));

/** Returns the number whose digits are at a place; NaN if they are no digits. */
function digitsAt(text: string, from: number, count: number): number {
  let number = 0;
  for (let at = from; at < from + count; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return NaN;
    number = number * 10 + digit;
  }
  return number;
}

/** The last day read: consecutive rows often have the same date. */
let lastDay: { readonly date: string; readonly start: Instant } = { date: '1970-01-01', start: 0n };

/** The start of a calendar day, in UTC; undefined if there is no such day. */
function dayAt(date: string): Instant | undefined {
  if (date !== lastDay.date) {
    const ms = startOfDay(date);
    // times before the year 100 cannot be written in every zone
    if (ms === undefined || date < '0100-01-03') return undefined;
    lastDay = { date, start: BigInt(ms) * MS };
  }
  return lastDay.start;
}

/** The years of times that are numbers: others are more likely file times, or no times at all. In ns, the ticks of .NET seem to lie in the 1990s. */
const YEARS = {
  from: BigInt(Date.UTC(1990)) * MS,
  until: BigInt(Date.UTC(2100)) * MS,
  fromInNs: 10n ** 18n,
};

/** The units of epochs. A number is an epoch in the unit in which it lies in these years. */
const EPOCH_UNITS = [SECOND, MS, 1000n, 1n];

function readEpoch(whole: string, fraction: string): WrittenTime | undefined {
  const size = BigInt(whole);
  const isEpochIn = (one: bigint): boolean =>
    size * one >= (one === 1n ? YEARS.fromInNs : YEARS.from) && size * one < YEARS.until;
  const unit = EPOCH_UNITS.find(isEpochIn);
  if (unit === undefined) return undefined;
  const part = fraction === '' ? 0n : (BigInt(fraction.padEnd(NS_DIGITS, '0')) * unit) / SECOND;
  const format: TimeFormat = { kind: 'epoch', unit, fractionDigits: fraction.length };
  return { instant: size * unit + part, format };
}

function zoneMinutes(zone: string): number {
  if (!/^[+-]/.test(zone)) return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = zone.length > 3 ? Number(zone.slice(-2)) : 0;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/** The latest time that can be written, and the latest for services: its year is at most 9999 in every zone. */
const MAX_EXACT: Instant = BigInt(Date.UTC(10_000)) * MS - 1n;
const MAX_WRITTEN: Instant = MAX_EXACT - DAY;

/** Writes a time in a format (null: exactly), rounded down to the resolution of the format, and limited to years of four digits. */
export function writeTime(instant: Instant, as: TimeFormat | null): string {
  const format = as ?? EXACT;
  const floored = floorTo(earliest(instant, as === null ? MAX_EXACT : MAX_WRITTEN), resolutionOf(format));
  const { fractionDigits } = format;
  const fractionOf = (ns: bigint): string =>
    fractionDigits === 0 ? '' : `.${ns.toString().padStart(NS_DIGITS, '0').slice(0, fractionDigits)}`;
  if (format.kind === 'epoch') {
    const [sign, size] = floored < 0n ? ['-', -floored] : ['', floored];
    return `${sign}${size / format.unit}${fractionOf(((size % format.unit) * SECOND) / format.unit)}`;
  }
  const second = floorTo(floored, SECOND);
  const iso = new Date(Number(second / MS)).toISOString();
  const time =
    format.separator === '' ? '' : iso.slice(11, format.seconds ? 19 : 16) + fractionOf(floored - second);
  const date = iso.slice(0, 10);
  if (format.compact === 'digits') return (date + time).replaceAll(/\D/g, '');
  const written = format.separator === '' ? date : `${date}${format.separator}${time}${format.zone}`;
  return format.compact === 'basic' ? written.replaceAll(/[-:]/g, '') : written;
}

/** The resolution of a format in ns; 1 if the format is unknown. */
export function resolutionOf(format: TimeFormat | null): bigint {
  if (format === null) return 1n;
  if (format.kind === 'epoch') return later(1n, format.unit / 10n ** BigInt(format.fractionDigits));
  if (format.separator === '') return DAY;
  return format.seconds ? SECOND / 10n ** BigInt(format.fractionDigits) : MINUTE;
}

/** Returns by how many ns times may fall back when DST ends: an hour if they have no zone, otherwise 0. */
export function dstShiftOf(format: TimeFormat): bigint {
  return format.kind === 'calendar' && format.zone === '' ? HOUR : 0n;
}

/**
 * Returns a format that can express all times of both formats: servers omit seconds or fractions that are zero, and vary offsets.
 * If the formats are not compatible, returns the newer one.
 */
export function mergedFormat(before: TimeFormat | null, now: TimeFormat): TimeFormat {
  if (before?.kind === 'epoch' && now.kind === 'epoch') {
    const isIdentical = before.unit === now.unit;
    const isFiner = isIdentical ? before.fractionDigits > now.fractionDigits : before.unit < now.unit;
    return isFiner ? before : now;
  }
  if (before?.kind !== 'calendar' || now.kind !== 'calendar' || before.separator === '') return now;
  if (before.compact !== now.compact) return now;
  if (now.separator === '') return before;
  const fractionDigits = Math.max(before.fractionDigits, now.fractionDigits);
  const seconds = before.seconds || now.seconds;
  const zone = now.zone === '' ? before.zone : now.zone;
  const isNow = fractionDigits === now.fractionDigits && seconds === now.seconds && zone === now.zone;
  return isNow ? now : { ...now, fractionDigits, seconds, zone };
}

/** True if texts of one format cannot be compared with texts of the other, as some servers do: those of digits, or with another separator. */
export function isOtherForm(one: TimeFormat, other: TimeFormat): boolean {
  if (one.kind === 'epoch' || other.kind === 'epoch') return one.kind !== other.kind;
  const separators = [one.separator, other.separator].filter((separator) => separator !== '');
  return one.compact !== other.compact || new Set(separators).size > 1;
}

/** Rounds a time down to a multiple of a step in ns. */
export function floorTo(instant: Instant, step: bigint): Instant {
  const rest = instant % step;
  return rest < 0n ? instant - rest - step : instant - rest;
}

export function later(a: Instant, b: Instant): Instant {
  return a > b ? a : b;
}

export function earliest(first: Instant, ...others: readonly Instant[]): Instant {
  return others.reduce((one, other) => (other < one ? other : one), first);
}
