/**
 * Compares the rows in RECORD messages with those of the source, by their `assetId`. Gives how many of the wanted ones are
 * missing, how many came again, each time counted, and how many hold a value that is not equal to the one that was sent.
 */
export function judgeRows(records: readonly string[], sources: readonly string[], wanted: readonly string[]) {
  const sent = new Map(sources.map((text) => [idOf(text), valueOf(text)]));
  const given = new Set(records.map(idOf));
  const altered = records.filter((text) => {
    const { record } = valueOf(text) as { record: { data?: unknown } };
    return !isKept(sent.get(idOf(text)), record.data ?? record);
  });
  return {
    lost: wanted.filter((text) => !given.has(idOf(text))).length,
    doubled: records.length - given.size,
    altered: new Set(altered.map(idOf)).size,
  };
}

function idOf(text: string): string {
  const id = /"asset_?[iI]d":\s*"([^"]*)"/.exec(text)?.[1];
  if (id === undefined) throw new Error(`a row without an id: ${text.slice(0, 200)}`);
  return id;
}

const STRING_OR_NUMBER = /("(?:[^"\\]|\\.)*")|(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?/g;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** The value of a JSON text with numbers as digits, names without case and underscores, and instants in one zone. */
function valueOf(json: string): unknown {
  return JSON.parse(json.replaceAll(STRING_OR_NUMBER, marked), (_name, value: unknown) => {
    if (typeof value === 'string') return INSTANT.test(value) ? `instant ${Date.parse(value)}` : value;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const members = Object.entries(value);
    return Object.fromEntries(members.map(([name, one]) => [name.toLowerCase().replaceAll('_', ''), one]));
  });
}

/** A string as it is; a number as its digits and a power of ten: the same for equal numbers, however large or long. */
function marked(
  _token: string,
  string?: string,
  sign = '',
  whole = '',
  fraction = '',
  exponent = '0',
): string {
  if (string !== undefined) return string;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  const power = Number(exponent) - fraction.length + digits.length - short.length;
  return short === '' ? '"number 0"' : `"number ${sign}${short}e${power}"`;
}

/** True if all that was sent is there; null is as good as absent, as programs that fill tables have it. */
function isKept(sent: unknown, given: unknown): boolean {
  if (sent === null) return true;
  if (typeof sent !== 'object' || typeof given !== 'object' || given === null) return sent === given;
  return Object.entries(sent).every(([name, value]) =>
    isKept(value, (given as Record<string, unknown>)[name]),
  );
}
