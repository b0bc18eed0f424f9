import { floorTo, parseTime, timeForm, type TimeFormName } from '../../model/time-forms.ts';

const UTC = { before: 0, after: 0, atMs: 0 };
const form = (name: TimeFormName) => timeForm(name, UTC);

/** The formats of created times; the first one is the default. */
export const formats = {
  milliseconds: form('Z, ms'),
  seconds: form('Z, s'),
  microseconds: form('Z, µs'),
  nanoseconds: form('Z, ns'),
  epochSeconds: form('epoch s'),
  epochMilliseconds: form('epoch ms'),
  offset: form('+02:00, ms'),
  noZone: form('no zone, T'),
};
export type CreatedFormat = keyof typeof formats;

/** The created time of a row, in ns since the epoch; whole milliseconds stay whole. */
const nanosecondsOf = (micros: number): bigint =>
  BigInt(micros) * 1000n + BigInt(((micros % 1000) * 7) % 1000);

export function createdText(micros: number, format: CreatedFormat): string {
  return formats[format].write(nanosecondsOf(micros), 0);
}

/** The created time as it is shown, in ns since the epoch. */
export function shownTime(micros: number, format: CreatedFormat): bigint {
  return floorTo(nanosecondsOf(micros), formats[format].granule);
}

/** Texts that differ only in their digits have the same shape. */
const shapeOf = (text: string): string => text.replace(/\d/g, '0').replaceAll('"', '');
const someMicros = Date.UTC(2025) * 1000;
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?$/;

/**
 * Parses a date-time in any of the formats, or in the `strict` one only, into ns since the epoch. Epoch numbers from 10^11 are
 * milliseconds; the default time zone is UTC. Returns null for other texts.
 */
export function parseInstant(text: string, strict: CreatedFormat | null): bigint | null {
  if (strict !== null && shapeOf(text) !== shapeOf(createdText(someMicros, strict))) return null;
  if (/^\d{1,15}$/.test(text))
    return parseTime(text, Number(text) >= 1e11 ? formats.epochMilliseconds : formats.epochSeconds);
  return dateTime.test(text) ? parseTime(text, formats.noZone) : null;
}
