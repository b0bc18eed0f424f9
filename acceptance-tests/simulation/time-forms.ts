/** How a server writes created times, and reads those that it is asked for. Times are ns since the epoch. */
export interface TimeForm {
  readonly name: TimeFormName;
  /** ns: what is finer is not shown. */
  readonly granule: bigint;
  /** Minutes east of UTC of a time that bears no zone. */
  readonly localOffset: number;
  /** As JSON. `row` varies what the form leaves open. */
  readonly write: (ns: bigint, row: number) => string;
}

export type TimeFormName = keyof typeof FORMS;

const MS = 1_000_000n;
const SECOND = 1000n * MS;
const MINUTE = 60n * SECOND;
const DAY = 1440n * MINUTE;

interface Written {
  readonly granule: bigint;
  readonly write: (ns: bigint, row: number, localOffset: number) => string;
  /** True if times bear no zone: then they may be local ones. */
  readonly hasNoZone?: true;
}

/** Date and time of day without a zone, `digits` behind the second. */
function local(ns: bigint, offset: number, digits: number): string {
  const shifted = ns + BigInt(offset) * MINUTE;
  const text = new Date(Number(shifted / MS)).toISOString().slice(0, 19);
  const fraction = (shifted % SECOND).toString().padStart(9, '0').slice(0, digits);
  return digits === 0 ? text : `${text}.${fraction}`;
}

const trimmed = (text: string): string => text.replace(/0+$/, '').replace(/\.$/, '');
/** Seconds and fractions in groups of three digits, each only where it is not zero, as java.time writes them. */
const grouped = (text: string): string =>
  text
    .replace(/(000)+$/, '')
    .replace(/\.$/, '')
    .replace(/:00$/, '');
const quoted = (text: string): string => `"${text}"`;

const FORMS = {
  'Z, ms': { granule: MS, write: (ns) => quoted(`${local(ns, 0, 3)}Z`) },
  'Z, s': { granule: SECOND, write: (ns) => quoted(`${local(ns, 0, 0)}Z`) },
  'Z, min': { granule: MINUTE, write: (ns) => quoted(`${local(ns, 0, 0).slice(0, 16)}Z`) },
  'Z, ns': { granule: 1n, write: (ns) => quoted(`${local(ns, 0, 9)}Z`) },
  '+02:00, µs': { granule: 1000n, write: (ns) => quoted(`${local(ns, 120, 6)}+02:00`) },
  '-0530, s': { granule: SECOND, write: (ns) => quoted(`${local(ns, -330, 0)}-0530`) },
  'offsets by row': {
    granule: MS,
    write: (ns, row) => {
      const [offset, zone] = (
        [
          [0, 'Z'],
          [60, '+01:00'],
          [-300, '-05:00'],
        ] as const
      )[row % 3] ?? [0, 'Z'];
      return quoted(`${local(ns, offset, 3)}${zone}`);
    },
  },
  'Z, fraction trimmed': { granule: MS, write: (ns) => quoted(`${trimmed(local(ns, 0, 9))}Z`) },
  'Z, seconds and fraction trimmed': { granule: MS, write: (ns) => quoted(`${grouped(local(ns, 0, 9))}Z`) },
  '+01:00, seconds and fraction trimmed': {
    granule: SECOND,
    write: (ns) => quoted(`${grouped(local(ns, 60, 9))}+01:00`),
  },
  'no zone, T': { granule: MS, hasNoZone: true, write: (ns, _row, offset) => quoted(local(ns, offset, 3)) },
  'no zone, blank': {
    granule: SECOND,
    hasNoZone: true,
    write: (ns, _row, offset) => quoted(local(ns, offset, 0).replace('T', ' ')),
  },
  'no zone, trimmed': {
    granule: MS,
    hasNoZone: true,
    write: (ns, _row, offset) => quoted(grouped(local(ns, offset, 9))),
  },
  'epoch s': { granule: SECOND, write: (ns) => String(ns / SECOND) },
  'epoch ms': { granule: MS, write: (ns) => String(ns / MS) },
  'epoch ms as text': { granule: MS, write: (ns) => quoted(String(ns / MS)) },
  'epoch s with fraction': {
    granule: MS,
    write: (ns) => `${ns / SECOND}.${(ns % SECOND).toString().padStart(9, '0').slice(0, 3)}`,
  },
  'epoch s, fraction trimmed': {
    granule: MS,
    write: (ns) => trimmed(`${ns / SECOND}.${(ns % SECOND).toString().padStart(9, '0').slice(0, 3)}`),
  },
} as const satisfies Record<string, Written>;

export const FORM_NAMES = Object.keys(FORMS) as readonly TimeFormName[];

/** `localOffset` counts only where the form has no zone. */
export function timeForm(name: TimeFormName, localOffset: number): TimeForm {
  const form: Written = FORMS[name];
  const offset = form.hasNoZone === true ? localOffset : 0;
  return {
    name,
    granule: form.granule,
    localOffset: offset,
    write: (ns, row) => form.write(ns - (((ns % form.granule) + form.granule) % form.granule), row, offset),
  };
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?\s?(Z|[+-]\d\d(?::?\d\d)?)?$/;

/** The time that a server understands from a query; null if it does not. An epoch is in the server's own unit. */
export function understood(text: string, form: TimeForm): bigint | null {
  if (/^-?\d+(\.\d+)?$/.test(text)) {
    if (!form.name.startsWith('epoch')) return null;
    const [whole = '', fraction = ''] = text.split('.');
    const unit = form.name.startsWith('epoch ms') ? MS : SECOND;
    return BigInt(whole) * unit + (BigInt(fraction.padEnd(9, '0').slice(0, 9)) * unit) / SECOND;
  }
  const [, day, time = '00:00', seconds = '00', fraction = '', zone] = ISO.exec(text) ?? [];
  if (day === undefined) return null;
  const ms = Date.parse(`${day}T${time}:${seconds}Z`);
  if (Number.isNaN(ms)) return null;
  const offset = zone === undefined ? form.localOffset : zoneMinutes(zone);
  return BigInt(ms) * MS + BigInt(fraction.padEnd(9, '0')) - BigInt(offset) * MINUTE;
}

function zoneMinutes(zone: string): number {
  if (zone === 'Z') return 0;
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  return (zone.startsWith('-') ? -1 : 1) * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2)));
}

/** How far the connector, which takes a time without a zone for UTC, sees it shifted; ns. */
export function shiftOf(form: TimeForm): bigint {
  return BigInt(form.localOffset) * MINUTE;
}

export const UNITS = { second: SECOND, minute: MINUTE, day: DAY, ms: MS };
