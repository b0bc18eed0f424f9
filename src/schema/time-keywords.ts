import { matchesFormat } from './string-format.ts';

/** Fewer agreeing texts than this are no proof that a field always holds a time. */
export const minTimes = 20;

/** What is said of a string field beside its type. */
export interface TimeKeywords {
  readonly format?: 'date-time';
  readonly airbyte_type?: 'timestamp_with_timezone' | 'timestamp_without_timezone';
}

/**
 * The keywords of a field whose only non-null values are these texts: those of a time if there are at least `minTimes` and
 * all are date-times of one kind, with a zone or without; else none.
 *
 * A time without a zone gets its `airbyte_type` but no `format`: RFC 3339, and so `date-time` under ajv, demands a zone, and
 * each row must validate. Clients that go by `airbyte_type` read it as a timestamp; those that look for the format first
 * keep the text, whole.
 */
export function timeKeywords(texts: readonly string[]): TimeKeywords {
  if (texts.length < minTimes) return {};
  if (texts.every(hasZone)) return { format: 'date-time', airbyte_type: 'timestamp_with_timezone' };
  if (texts.every(lacksZone)) return { airbyte_type: 'timestamp_without_timezone' };
  return {};
}

const hasZone = (text: string) => matchesFormat('date-time', text);
const lacksZone = (text: string) => matchesFormat('iso-date-time', text) && !hasZone(text);
