/** What a program made of a list. */
export interface Judgement {
  /** Rows that it should have given and did not. */
  readonly lost: number;
  /** Rows that it gave more than once, each further time counted. */
  readonly doubled: number;
  /** Rows of which a value is not equal to the one that was sent; how it is written does not matter. */
  readonly altered: number;
}

/** Compares rows as they stand in lines that came out, at `path`, with those of the source, by their `assetId`. */
export function judgeRows(
  given: readonly string[],
  path: readonly string[],
  sources: readonly string[],
  wanted: readonly string[],
): Judgement {
  const byId = new Map(sources.map((text) => [idOf(text), valueOf(text)]));
  const ids = given.map(idOf);
  const seen = new Set(ids);
  const altered = given.filter((text, index) => !isKept(byId.get(ids[index] ?? ''), at(path, valueOf(text))));
  return {
    lost: wanted.filter((text) => !seen.has(idOf(text))).length,
    doubled: given.length - seen.size,
    altered: new Set(altered.map(idOf)).size,
  };
}

function at(path: readonly string[], value: unknown): unknown {
  return path.reduce((inner, name) => (inner as Record<string, unknown>)[name], value);
}

function idOf(text: string): string {
  const id = /"asset_?[iI]d":\s*"([^"]*)"/.exec(text)?.[1];
  if (id === undefined) throw new Error(`a row without an id: ${text.slice(0, 200)}`);
  return id;
}

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** A number as its digits and a power of ten: the same text for equal numbers, however large or long. */
function digitsOf(written: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(written) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  const power = Number(exponent) - fraction.length + digits.length - short.length;
  return short === '' ? '0' : `${sign}${short}e${power}`;
}

/** The value of a JSON text with numbers as digits, names without case and underscores, and instants in one zone. */
function valueOf(json: string): unknown {
  const marked = json.replaceAll(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') ? token : JSON.stringify({ number: digitsOf(token) }),
  );
  return JSON.parse(marked, (_name, value: unknown) => {
    if (typeof value === 'string') return INSTANT.test(value) ? `instant ${Date.parse(value)}` : value;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const entries = Object.entries(value).map(([name, member]) => [plain(name), member] as const);
    return Object.fromEntries(entries);
  });
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll('_', '');
}

/** True if all that was sent is there; null is as good as absent, as programs that fill tables have it. */
function isKept(sent: unknown, given: unknown): boolean {
  if (sent === null) return true;
  if (typeof sent !== 'object' || typeof given !== 'object' || given === null) return sent === given;
  return Object.entries(sent).every(([name, value]) =>
    isKept(value, (given as Record<string, unknown>)[name]),
  );
}
