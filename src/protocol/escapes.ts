/** One way to read on from a place in a text: a character, raw or decoded, and the place after it. */
export type Step = Readonly<{ to: number; text: string }>;
/** What follows the first character of an escape, written in `CLASSES` or literally, and what the escape means. */
type Rule = readonly [pattern: string, meaning: (word: string) => string];

const MAX_STEPS = 24; // that start at one place
const MAX_SPAN = 500; // characters of one step: four bytes of UTF-8 in a URL, in JSON, in JSON again
const CLASSES = new Map(
  Object.entries({
    H: /^[\da-f]$/i,
    D: /^\d$/,
    C: /^[cd]$/i,
    E: /^e$/i,
    F: /^f$/i,
    8: /^[89ab]$/i,
    X: /^x$/i,
  }),
);
const codePoint = (point: number): string => String.fromCodePoint(point <= 0x10ffff ? point : 0xfffd);
const fromHex = (word: string): string => codePoint(Number.parseInt(word.replaceAll(/[^\da-f]/gi, ''), 16));
const fromDecimal = (word: string): string => codePoint(Number.parseInt(word.slice(1), 10));
const fromUtf8 = (word: string): string => Buffer.from(word.replaceAll('%', ''), 'hex').toString();
const literal = ([word, meant]: readonly [string, string]): Rule => [word, () => meant];
const upTo = (max: number, start: string, digit: string): string[] =>
  Array.from({ length: max }, (_, count) => `${start}${digit.repeat(count + 1)};`);

const RULES = new Map<string, readonly Rule[]>([
  ['+', [['', () => ' ']]],
  [
    '\\',
    [
      ...Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(literal),
      ...Array.from('\\/"\'', (sign) => literal([sign, sign])),
      ['uHHHH', fromHex],
      ['xHH', fromHex],
    ],
  ],
  [
    '%',
    [
      ['HH', fromHex],
      ['CH%8H', fromUtf8],
      ['EH%8H%8H', fromUtf8],
      ['FH%8H%8H%8H', fromUtf8],
    ],
  ],
  [
    '&',
    [
      ...Object.entries({ 'amp;': '&', 'lt;': '<', 'gt;': '>', 'quot;': '"', 'apos;': "'" }).map(literal),
      ...upTo(7, '#', 'D').map((pattern): Rule => [pattern, fromDecimal]),
      ...upTo(6, '#X', 'H').map((pattern): Rule => [pattern, fromHex]),
    ],
  ],
]);

/**
 * All ways to read a text whose parts may be escaped: as in JSON, in a URL or a form, or in HTML, however often one in another.
 * Returns for each place the steps that start there, and undefined where the raw character is the only one.
 */
export function decodings(text: string): readonly (readonly Step[] | undefined)[] {
  const all: (Step[] | undefined)[] = [];
  const stepsAt = (at: number): readonly Step[] =>
    all[at] ?? (at < text.length ? [{ to: at + 1, text: text.charAt(at) }] : []);
  /** The words that can be read from a place on and fit a pattern. */
  function* words(at: number, pattern: string): Generator<Step> {
    if (pattern === '') yield { to: at, text: '' };
    const wanted = pattern.charAt(0);
    for (const { to, text: sign } of pattern === '' ? [] : stepsAt(at))
      if (CLASSES.get(wanted)?.test(sign) ?? sign === wanted)
        for (const rest of words(to, pattern.slice(1))) yield { to: rest.to, text: sign + rest.text };
  }
  for (let at = text.length - 1; at >= 0; at--) {
    const steps = [{ to: at + 1, text: text.charAt(at) }];
    // what was decoded may begin another escape
    for (const { to: after, text: sign } of steps)
      for (const [pattern, meaning] of RULES.get(sign) ?? [])
        for (const { to, text: word } of words(after, pattern)) {
          const meant = meaning(word);
          const isNew = steps.every((known) => known.to !== to || known.text !== meant);
          if (isNew && steps.length < MAX_STEPS && to - at <= MAX_SPAN) steps.push({ to, text: meant });
        }
    if (steps.length > 1) all[at] = steps;
  }
  return all;
}
