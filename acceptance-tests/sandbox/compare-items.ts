import { isDeepStrictEqual } from 'node:util';

export type Item = readonly [id: string, value: unknown];
export type Members = Readonly<Record<string, unknown>>;
/** How the rows that were read differ from those of a list, by id; `repeated` has an id for each repetition. */
export type Differences = ReturnType<typeof compareItems>;

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Compares items that were read with the ids that are expected among them and the values of all that are allowed. */
export function compareItems(
  items: readonly Item[],
  expected: readonly string[],
  allowed: ReadonlyMap<string, unknown>,
  isSame: (sent: unknown, read: unknown) => boolean,
) {
  const found = new Set<string>();
  const repeated: string[] = [];
  const altered = new Set<string>();
  for (const [id, value] of items) {
    if (found.has(id)) repeated.push(id);
    found.add(id);
    if (allowed.has(id) && !isSame(allowed.get(id), value)) altered.add(id);
  }
  return {
    lost: expected.filter((id) => !found.has(id)),
    repeated,
    altered: [...altered],
    unknown: [...found].filter((id) => !allowed.has(id)),
  };
}

const STRING_OR_NUMBER = /("(?:[^"\\]|\\.)*")|(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?/g;
const INSTANT = /^s\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

export const loosened = (name: string): string => name.toLowerCase().replaceAll('_', '');

/** Parses JSON exactly: strings are prefixed with `s`, and numbers become texts prefixed with `n`, the same for equal numbers. */
export function exactValue(json: string, isLoose: boolean): unknown {
  return JSON.parse(json.replaceAll(STRING_OR_NUMBER, marked), (_name, value: unknown) => {
    if (isLoose && typeof value === 'string' && INSTANT.test(value))
      return `instant ${Date.parse(value.slice(1))}`;
    if (!isObject(value)) return value;
    const members = Object.entries(value).map(([name, one]) => [name.slice(1), one] as const);
    return Object.fromEntries(members.map(([name, one]) => [isLoose ? loosened(name) : name, one]));
  });
}

function marked(_: string, ...groups: readonly (string | undefined)[]): string {
  const [string, sign = '', whole = '', fraction = '', exponent = '0'] = groups;
  if (string !== undefined) return `"s${string.slice(1)}`;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  const power = Number(exponent) - fraction.length + digits.length - short.length;
  return short === '' ? '"n0"' : `"n${sign}${short}e${power}"`;
}

/** Whether a row was read as it was sent; if loose, whether it contains everything that was sent. */
export const isSameRow = (sent: unknown, read: unknown, isLoose: boolean): boolean =>
  isLoose ? isKept(sent, read) : isDeepStrictEqual(sent, read);

function isKept(sent: unknown, read: unknown): boolean {
  if (sent === null) return true;
  if (typeof sent !== 'object' || typeof read !== 'object' || read === null) return sent === read;
  return Object.entries(sent).every(([name, value]) => isKept(value, (read as Members)[name]));
}
