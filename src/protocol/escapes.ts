/** One way to read on from a place in a text: a character, raw or decoded, and the place after it. */
export type Step = Readonly<{ to: number; text: string }>;

const MAX_STEPS = 24; // that start at one place, and
const MAX_SPAN = 500; // characters of one: four bytes of UTF-8 in a URL, in JSON, in JSON again
const HEX = /^[0-9a-fA-F]$/;
const ENTITY = /^[#\w]$/;
const MAX_ENTITY = 8;
const ENTITIES = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }));
const AFTER_BACKSLASH = new Map(Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }));
for (const sign of '\\/"\'') AFTER_BACKSLASH.set(sign, sign);

/**
 * All ways to read a text whose parts may be escaped: as in JSON, in a URL or a form, or in HTML, however often one in another.
 * Returns for each place the steps that start there, and undefined where the raw character is the only one.
 */
export function decodings(text: string): readonly (readonly Step[] | undefined)[] {
  const all: (Step[] | undefined)[] = [];
  const stepsAt = (at: number): readonly Step[] =>
    all[at] ?? (at < text.length ? [{ to: at + 1, text: text.charAt(at) }] : []);

  /** The words of so many characters of one kind that can be read from a place on. */
  function* words(at: number, length: number, kind: RegExp): Generator<Step> {
    if (length === 0) yield { to: at, text: '' };
    else
      for (const first of stepsAt(at))
        if (kind.test(first.text))
          for (const rest of words(first.to, length - 1, kind))
            yield { to: rest.to, text: first.text + rest.text };
  }
  /** What follows a percent sign: the bytes of a character in UTF-8, or one of a byte. */
  function* afterPercent(at: number): Generator<Step> {
    for (const { to, text: digits } of words(at, 2, HEX)) {
      const byte = Number.parseInt(digits, 16);
      yield { to, text: String.fromCharCode(byte) };
      const rest = byte < 0xc0 ? 0 : 1 + Number(byte >= 0xe0) + Number(byte >= 0xf0);
      let bytes: readonly { to: number; digits: string }[] = rest === 0 ? [] : [{ to, digits }];
      for (let count = 0; count < rest; count++)
        bytes = bytes.flatMap((known) =>
          [...words(known.to, 1, /^%$/)].flatMap((sign) =>
            [...words(sign.to, 2, HEX)].map((next) => ({ to: next.to, digits: known.digits + next.text })),
          ),
        );
      for (const found of bytes) yield { to: found.to, text: Buffer.from(found.digits, 'hex').toString() };
    }
  }
  function* afterBackslash(at: number): Generator<Step> {
    for (const { to, text: sign } of stepsAt(at)) {
      const meant = AFTER_BACKSLASH.get(sign);
      if (meant !== undefined) yield { to, text: meant };
      if (sign === 'u' || sign === 'x')
        for (const { to: end, text: digits } of words(to, sign === 'u' ? 4 : 2, HEX))
          yield { to: end, text: String.fromCharCode(Number.parseInt(digits, 16)) };
    }
  }
  function* afterAmpersand(at: number): Generator<Step> {
    for (let length = 2; length <= MAX_ENTITY; length++)
      for (const { to, text: name } of words(at, length, ENTITY)) {
        const meant = ENTITIES.get(name) ?? numbered(name);
        if (meant !== undefined)
          for (const { to: end } of words(to, 1, /^;$/)) yield { to: end, text: meant };
      }
  }
  const rules = new Map<string, (at: number) => Iterable<Step>>([
    ['\\', afterBackslash],
    ['%', afterPercent],
    ['&', afterAmpersand],
    ['+', (at: number) => [{ to: at, text: ' ' }]],
  ]);
  for (let at = text.length - 1; at >= 0; at--) {
    const steps = [{ to: at + 1, text: text.charAt(at) }];
    // what was decoded may begin another escape
    for (const { to, text: sign } of steps)
      for (const step of rules.get(sign)?.(to) ?? []) {
        const isNew = steps.every((known) => known.to !== step.to || known.text !== step.text);
        if (isNew && steps.length < MAX_STEPS && step.to - at <= MAX_SPAN) steps.push(step);
      }
    if (steps.length > 1) all[at] = steps;
  }
  return all;
}

/** The character that a numbered entity of HTML means. */
function numbered(name: string): string | undefined {
  const [, hex, decimal] = /^#(?:[xX]([0-9a-fA-F]{1,6})|(\d{1,7}))$/.exec(name) ?? [];
  const point = hex === undefined ? Number(decimal ?? NaN) : Number.parseInt(hex, 16);
  return point <= 0x10ffff ? String.fromCodePoint(point) : undefined;
}
