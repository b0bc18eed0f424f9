import { isObject, parsedJson } from '../config/files.ts';
import { QUOTED } from '../limits.ts';
import { timeIn, waitIn, type AskedWait } from './time-text.ts';

const MAX_DEPTH = 4; // of objects and arrays
const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const UNIT = '(?:ms|milli(?:second)?s?|s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:(?:ou)?rs?)?|d(?:ays?)?)';

/** Members that state how long to wait, without their separators; the unit is at the end, or seconds. */
const DELAY = new RegExp(
  `^(?:(?:re)?try(?:again)?(?:after|in|delay)|wait(?:for|time)?|backoff|cooldown|resets?(?:in|after)|next(?:retry|request)?in|(?:block|lock)edfor)(?:in)?(${UNIT})?$`,
  'i',
);
/** Members that state until when; others hold the time of the response, or of something else. */
const UNTIL = /^next|retry|reset|until|available|renew|unlock|again/i;

/** Words after which a text says when the next request may be sent. */
const LEAD =
  '\\b(?:(?:re)?try|wait|again|available|resets?|renew(?:s|ed)?|replenish(?:es|ed)?|unlock(?:s|ed)?|(?:b?lock|throttl|suspend|bann)ed|another|next)\\b[^.;\\d]{0,60}?';
const PART = `(?:\\d{1,6}(?:\\.\\d+)? ?|\\b(?:an?|one) )${UNIT}(?![a-z])`;
/** For a time: `in 1 minute and 30 seconds`, `in 6m0s`. */
const FOR = new RegExp(`${LEAD}(${PART}(?:(?:,? and |,? ?)${PART})*)`, 'i');
const PARTS = new RegExp(`(\\d+(?:\\.\\d+)? ?|\\b(?:an?|one) )(${UNIT})(?![a-z])`, 'gi');
/** In days, hours, minutes and seconds: `in 5.00:00:00`. */
const IN_CLOCK = new RegExp(`${LEAD}\\bin (?:(\\d{1,3})\\.)?(\\d\\d):(\\d\\d):(\\d\\d)\\b`, 'i');
const AT = new RegExp(`${LEAD}(\\d{4}-\\d\\d-\\d\\d[T ][\\d:.]+(?:Z|[+-]\\d\\d:?\\d\\d))`, 'i');

/**
 * The wait for which the body of a failure asks, in a member such as `retry_after` or `nextAccessTime`, or in words such as "Try again in
 * 3 seconds."; null if it asks for none. Numbers that only describe a limit, such as "10 requests in 60 seconds", are none.
 */
export function statedWait(text: string): AskedWait | null {
  const value = parsedJson(text);
  if (value === undefined) return waitInWords(text);
  const members = membersIn('', value, MAX_DEPTH);
  const named = members.map(([name, member]) => waitInMember(name, String(member)));
  const found = named.find((wait) => wait !== null);
  if (found !== undefined) return found;
  const said = members.flatMap(([, member]) => (typeof member === 'string' ? [waitInWords(member)] : []));
  return said.find((wait) => wait !== null) ?? null;
}

/** The texts and numbers in a value, with the names of their members. */
function membersIn(name: string, value: unknown, depth: number): [name: string, member: string | number][] {
  if (typeof value === 'string' || typeof value === 'number') return [[name, value]];
  if (depth === 0) return [];
  if (Array.isArray(value)) return value.flatMap((one) => membersIn(name, one, depth - 1));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([inner, one]) => membersIn(inner, one, depth - 1));
}

function waitInMember(name: string, text: string): AskedWait | null {
  const [isDelay, unit = ''] = DELAY.exec(name.replaceAll(/[^a-z]/gi, '')) ?? [];
  if (isDelay === undefined) {
    const untilMs = UNTIL.test(name) ? timeIn(text) : NaN;
    return Number.isNaN(untilMs) ? null : { untilMs };
  }
  const isAmount = /^\d{1,9}(\.\d+)?$/.test(text);
  if (isAmount && unit !== '') return { afterMs: Math.ceil(Number(text) * unitMs(unit)) };
  return waitIn(text) ?? waitInWords(`wait ${text}`);
}

/** The wait that a sentence asks for. */
function waitInWords(said: string): AskedWait | null {
  const text = said.slice(0, QUOTED.maskedChars).replaceAll(/\s+/g, ' ');
  const [, parts] = FOR.exec(text) ?? [];
  if (parts !== undefined) return { afterMs: sumOf(parts) };
  const [clock, ...units] = IN_CLOCK.exec(text) ?? [];
  if (clock !== undefined) {
    const [days = 0, hours = 0, minutes = 0, seconds = 0] = units.map((digits) => Number(digits ?? 0));
    return { afterMs: (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 };
  }
  const untilMs = timeIn(AT.exec(text)?.[1] ?? '');
  return Number.isNaN(untilMs) ? null : { untilMs };
}

function sumOf(parts: string): number {
  const amounts = Array.from(parts.matchAll(PARTS), ([, amount = '', unit = '']) => {
    return (/^\d/.test(amount) ? Number(amount) : 1) * unitMs(unit);
  });
  return Math.ceil(amounts.reduce((sum, ms) => sum + ms, 0));
}

function unitMs(unit: string): number {
  const name = /^m(s|illi)/i.test(unit) ? 'ms' : unit.charAt(0).toLowerCase();
  return UNITS_MS[name] ?? 1000;
}
