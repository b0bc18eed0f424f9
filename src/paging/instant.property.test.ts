import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../property-runs.test-support.ts';
import { readTime, type WrittenTime } from './instant.ts';

const SECOND = 1_000_000_000n;

const CALENDAR =
  /^(\d{4}-\d\d-\d\d)(?:([Tt ])(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?([Zz]|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?$/;
const EPOCH = /^([1-9]\d{0,18})(?:\.(\d{1,9}))?$/;
/** Seconds between 1990 and 2100, and ns from 2001. */
const [MIN, MAX, MIN_NS] = [631_152_000n, 4_102_444_800n, 1_000_000_000n];

/** Digits in other orders, as ranges of their parts; those of two letters are of any year. */
const OTHERS = [
  'Y:20-29 M D h m',
  'Y:0-99 M D h m s',
  'y:2000-2039 M D h',
  'y:2000-2039 M D h m s f:2',
  'y:2000-2039 M D h m s f:5',
  'y:2000-2039 o h m s',
  'y:2000-2039 o h m s f:3',
  'y:2000-2039 o h m s f:6',
  'D M y:1900-2099 h m s',
].map((parts) => parts.split(' '));
const WIDTH = { Y: 2, M: 2, D: 2, h: 2, m: 2, s: 2, y: 4, o: 3 } as const;
const RANGE = { M: [1, 12], D: [1, 31], h: [0, 23], m: [0, 59], s: [0, 59], o: [0, 366] } as const;

/** Whether all digits of a text are parts of such a time. */
function isOther(text: string): boolean {
  const digits = text.split('.', 1)[0] ?? '';
  return OTHERS.some((parts) => {
    let at = 0;
    for (const part of parts) {
      const kind = part[0] ?? '';
      const width = kind === 'f' ? Number(part.slice(2)) : WIDTH[kind as keyof typeof WIDTH];
      const value = digits.slice(at, (at += width));
      const given = part.slice(2).split('-').map(Number);
      const [least = 0, most = 0] = part.length > 3 ? given : (RANGE[kind as keyof typeof RANGE] ?? [0, 1e9]);
      if (value.length < width || Number(value) < least || Number(value) > most) return false;
    }
    return at === digits.length;
  });
}

/** The same text with separators, if it is the digits of a date. */
function withSeparators(text: string): string | null {
  if (!/^(?:\d{8}|\d{12}|\d{14}|\d{17})$/.test(text)) return null;
  const parts = [text.slice(0, 4), '-', text.slice(4, 6), '-', text.slice(6, 8)];
  if (text.length > 8) parts.push('T', text.slice(8, 10), ':', text.slice(10, 12));
  if (text.length > 12) parts.push(':', text.slice(12, 14));
  if (text.length > 14) parts.push('.', text.slice(14));
  return parts.join('');
}

/** The same reading in its plainest form, without any memory of the text before. */
function plainReading(text: string): WrittenTime | undefined {
  const calendar = CALENDAR.exec(text);
  if (calendar !== null) {
    const [, date = '', separator = '', hours = '00', minutes = '00', seconds, fraction = '', zone = ''] =
      calendar;
    const utc = `${date}T${hours}:${minutes}:${seconds ?? '00'}Z`;
    const ms = Date.parse(utc);
    const exists = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(utc.slice(0, -1));
    const sign = zone.startsWith('-') ? -1 : 1;
    const offset = /^[+-]/.test(zone) ? zone : '';
    const [zoneHours, zoneMinutes] = [Number(offset.slice(1, 3)), Number(offset.slice(3).replace(':', ''))];
    if (!exists || date < '0100-01-03' || zoneHours > 23 || zoneMinutes > 59) return undefined;
    return {
      instant:
        BigInt(ms) * 1_000_000n +
        BigInt(fraction.padEnd(9, '0')) -
        BigInt(sign * (zoneHours * 60 + zoneMinutes)) * 60n * SECOND,
      format: {
        kind: 'calendar',
        separator,
        seconds: seconds !== undefined,
        fractionDigits: fraction.length,
        zone: zone === '' ? '' : 'Z',
      },
    };
  }
  if (!/^\d+(\.\d*)?$/.test(text) || isOther(text)) return undefined;
  const [, whole = '', fraction = ''] = EPOCH.exec(text) ?? [];
  for (const unit of [SECOND, 1_000_000n, 1000n, 1n]) {
    const seconds = (BigInt(whole) * unit) / SECOND;
    if (seconds < (unit === 1n ? MIN_NS : MIN) || seconds >= MAX) continue;
    const instant = (BigInt(whole + fraction.padEnd(9, '0')) * unit) / SECOND;
    return { instant, format: { kind: 'epoch', unit, fractionDigits: fraction.length } };
  }
  const separated = withSeparators(text);
  const date = separated === null ? undefined : plainReading(separated);
  const seconds = (date?.instant ?? 0n) / SECOND;
  if (seconds < MIN || seconds >= MAX) return undefined;
  return date && { ...date, format: { ...date.format, compact: 'digits' } as WrittenTime['format'] };
}

const numeral = (most: number): fc.Arbitrary<string> =>
  fc.integer({ min: 0, max: most }).map((value) => String(value).padStart(2, '0'));
const fractionOf = (mark: string): fc.Arbitrary<string> =>
  fc.stringMatching(/^\d{0,10}$/).map((digits) => (digits === '' ? '' : `${mark}${digits}`));

const often = (usual: string, others: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, others);

/** From few values, so that texts which follow each other are often written alike, and not all of them exist. */
const date = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('2026-01-02', '2026-01-03', '2026-12-31', '2024-02-29') },
  fc.constantFrom(
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '0000-00-00',
    '0099-01-01',
    '0100-01-02',
    '0100-01-03',
  ),
  fc.stringMatching(/^\d{4}-[01]\d-[0-3]\d$/),
);
const timeOfDay = fc.tuple(
  often('T', fc.constantFrom(' ', 't', '_')),
  numeral(24),
  often(':', fc.constantFrom('.', '')),
  numeral(60),
  fc.oneof(
    fc.constant(''),
    fc.tuple(fc.constant(':'), numeral(60)).map((parts) => parts.join('')),
    fc.tuple(fc.constant(':'), numeral(60), fractionOf('.')).map((parts) => parts.join('')),
    fc.tuple(fc.constant(':'), numeral(60), fractionOf(',')).map((parts) => parts.join('')),
  ),
  often('', fc.constantFrom(' ', '\u00a0', '  ')),
  often(
    'Z',
    fc.oneof(
      fc.constantFrom(
        '',
        'z',
        '+02:00',
        '-05:30',
        '+0100',
        '-08',
        '+24:00',
        '+01:60',
        'UTC',
        ' GMT',
        'GMT+2',
        'CET',
        '.',
        '+1',
      ),
      fc.stringMatching(/^[+-]\d\d:?\d\d$/),
    ),
  ),
);
const calendarText = fc
  .tuple(date, fc.oneof(fc.constant([]), { weight: 6, arbitrary: timeOfDay }))
  .map(([day, rest]) => day + rest.join(''));
const epochText = fc
  .tuple(
    fc.constantFrom(
      '',
      '',
      '-',
      '+',
      '0',
      '17',
      '2026',
      '20260102',
      '200601',
      '260601',
      '2026152',
      '1506202612',
    ),
    fc.stringMatching(/^\d{1,20}$/),
    fractionOf('.'),
  )
  .map((parts) => parts.join(''));

/** A text with one character left out, doubled, or another one in its place. */
const damaged = fc
  .tuple(
    fc.oneof(calendarText, epochText),
    fc.nat(40),
    fc.constantFrom('', '0', '9', ':', '.', ' ', 'Z', '-', '٣', '\n'),
  )
  .chain(([text, at, other]) =>
    fc.constantFrom(
      text.slice(0, at) + other + text.slice(at + 1),
      text.slice(0, at) + other + text.slice(at),
    ),
  );

test('times parse as in the reference parser, in any order', () => {
  const texts = fc.array(fc.oneof({ weight: 3, arbitrary: calendarText }, epochText, damaged), {
    minLength: 1,
    maxLength: 12,
  });
  fc.assert(
    fc.property(texts, (list) => {
      for (const text of list) expect(readTime(text)).toStrictEqual(plainReading(text));
    }),
    { numRuns: runs(3000) },
  );
});
