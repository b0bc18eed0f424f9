import type { ParameterValue } from './parameters.ts';

const MS = 1_000_000n;
const SECOND = 1000n * MS;
const MINUTE = 60n * SECOND;
const DAY = 1440n * MINUTE;
export const UNITS = { second: SECOND, minute: MINUTE, day: DAY, ms: MS };

/** The largest multiple of a unit that is not later than a time; both in ns. */
export const floorTo = (ns: bigint, unit: bigint): bigint => ns - (((ns % unit) + unit) % unit);

/** How a server writes created times and parses bounds. Times are in ns since the epoch. */
export type TimeForm = ReturnType<typeof timeForm>;
export type TimeFormName = keyof typeof FORMS;

interface Form {
  /** ns: the precision. */
  readonly granule: bigint;
  /** As JSON. `localOffset`: minutes east of UTC of a time without a zone. */
  readonly write: (ns: bigint, row: number, localOffset: number) => string;
}

type Shorten = (text: string) => string;

const whole: Shorten = (text) => text;
const trimmed: Shorten = (text) => text.replace(/0+$/, '').replace(/\.$/, '');
/** Seconds, and fractions in groups of three digits, each only if not zero, as java.time writes them. */
const grouped: Shorten = (text) => text.replace(/(000)+$/, '').replace(/(:00)?\.$/, '');
const blank: Shorten = (text) => text.replace('T', ' ');
const toMinutes: Shorten = (text) => text.slice(0, 16);
const toDate: Shorten = (text) => text.slice(0, 10);

function fraction(ns: bigint, digits: number): string {
  return digits === 0 ? '' : `.${(ns % SECOND).toString().padStart(9, '0').slice(0, digits)}`;
}

/** Date and time of day, with `digits` after the second; without a zone, at the local offset. */
function iso(granule: bigint, digits: number, offset: number, zone: string, shorten: Shorten): Form {
  const write: Form['write'] = (ns, _row, localOffset) => {
    const shifted = ns + BigInt(zone === '' ? localOffset : offset) * MINUTE;
    const second = new Date(Number(shifted / MS)).toISOString().slice(0, 19);
    return `"${shorten(second + fraction(shifted, digits))}${zone}"`;
  };
  return { granule, write };
}

const ZONES = [iso(MS, 3, 0, 'Z', whole), iso(MS, 3, 60, '+01:00', whole), iso(MS, 3, -300, '-05:00', whole)];

const FORMS = {
  'Z, ms': iso(MS, 3, 0, 'Z', whole),
  'Z, s': iso(SECOND, 0, 0, 'Z', whole),
  'Z, min': iso(MINUTE, 0, 0, 'Z', toMinutes),
  date: iso(DAY, 0, 0, '', toDate),
  'Z, ns': iso(1n, 9, 0, 'Z', whole),
  'Z, µs': iso(1000n, 6, 0, 'Z', whole),
  '+02:00, µs': iso(1000n, 6, 120, '+02:00', whole),
  '+02:00, ms': iso(MS, 3, 120, '+02:00', whole),
  '-0530, s': iso(SECOND, 0, -330, '-0530', whole),
  'offsets by row': { granule: MS, write: (ns, row) => ZONES[row % 3]?.write(ns, row, 0) ?? '' },
  'Z, fraction trimmed': iso(MS, 9, 0, 'Z', trimmed),
  'Z, seconds and fraction trimmed': iso(MS, 9, 0, 'Z', grouped),
  '+01:00, seconds and fraction trimmed': iso(SECOND, 9, 60, '+01:00', grouped),
  'no zone, T': iso(MS, 3, 0, '', whole),
  'no zone, blank': iso(SECOND, 0, 0, '', blank),
  'no zone, trimmed': iso(MS, 9, 0, '', grouped),
  'epoch s': { granule: SECOND, write: (ns) => String(ns / SECOND) },
  'epoch ms': { granule: MS, write: (ns) => String(ns / MS) },
  'epoch ms as text': { granule: MS, write: (ns) => `"${ns / MS}"` },
  'epoch s with fraction': { granule: MS, write: (ns) => `${ns / SECOND}${fraction(ns, 3)}` },
  'epoch s, fraction trimmed': { granule: MS, write: (ns) => trimmed(`${ns / SECOND}${fraction(ns, 3)}`) },
} as const satisfies Readonly<Record<ParameterValue<'timeFormat'>, Form>> & Readonly<Record<string, Form>>;

/** Minutes east of UTC, which change at `atMs` (ms since the epoch). */
interface Zone {
  readonly before: number;
  readonly after: number;
  readonly atMs: number;
}

/** `zone` is used only if the form shows none. */
export function timeForm(name: TimeFormName, zone: Zone) {
  const { granule, write }: Form = FORMS[name];
  const { before, after, atMs } = name.startsWith('no zone') ? zone : { before: 0, after: 0, atMs: 0 };
  const changeAt = BigInt(atMs) * MS;
  const offsetAt = (ns: bigint): number => (ns < changeAt ? before : after);
  return {
    name,
    granule,
    isUtc: before === 0 && after === 0,
    /** ns by which a time without a zone is shifted if it is taken for UTC. */
    shiftAt: (ns: bigint) => BigInt(offsetAt(ns)) * MINUTE,
    /** The UTC time of a local one; if ambiguous, the later one. */
    utcOf: (local: bigint) => {
      const later = local - BigInt(after) * MINUTE;
      return later >= changeAt ? later : local - BigInt(before) * MINUTE;
    },
    write: (ns: bigint, row: number) => write(floorTo(ns, granule), row, offsetAt(ns)),
  };
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9}))?)?\s?(Z|[+-]\d\d(?::?\d\d)?)?$/;

/** The time in a query, as the server parses it; null if it cannot. An epoch is in the server's unit. */
export function parseTime(text: string, form: TimeForm): bigint | null {
  if (/^-?\d+(\.\d+)?$/.test(text)) {
    if (!form.name.startsWith('epoch')) return null;
    const [seconds = '', digits = ''] = text.split('.');
    const unit = form.name.startsWith('epoch ms') ? MS : SECOND;
    return BigInt(seconds) * unit + (BigInt(digits.padEnd(9, '0').slice(0, 9)) * unit) / SECOND;
  }
  const [, day, time = '00:00', digits = '', zone] = ISO.exec(text) ?? [];
  const known = zone?.replace(/^([+-]\d\d):?(\d\d)?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`);
  const ms = Date.parse(`${day}T${time}${known ?? 'Z'}`);
  // Date.parse turns 31 February into a day in March
  if (Number.isNaN(ms) || new Date(`${day}T00:00Z`).toISOString().slice(0, 10) !== day) return null;
  const ns = BigInt(ms) * MS + BigInt(digits.padEnd(9, '0'));
  return zone === undefined ? form.utcOf(ns) : ns;
}
