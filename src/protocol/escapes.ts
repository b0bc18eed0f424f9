/** One way to read the next character of a text, raw or decoded, and the index after it. */
export type Step = Readonly<{ to: number; text: string }>;
/** What follows the first character of an escape, in keys of `CLASSES` or literally, and what the escape means. */
type Rule = readonly [pattern: string, meaning: (word: string) => string];

const MAX_STEPS = 24; // from one index
const MAX_SPAN = 500; // characters of one step: four bytes of UTF-8 in a URL, in JSON, in JSON again
const CLASSES: Readonly<Record<string, RegExp>> = {
  H: /^[\da-f]$/i,
  D: /^\d$/,
  C: /^[cd]$/i,
  E: /^e$/i,
  F: /^f$/i,
  8: /^[89ab]$/i,
  X: /^x$/i,
};

const codePoint = (point: number): string => String.fromCodePoint(point <= 0x10ffff ? point : 0xfffd);
const fromHex = (word: string): string => codePoint(Number.parseInt(word.replaceAll(/[^\da-f]/gi, ''), 16));
const fromDecimal = (word: string): string => codePoint(Number.parseInt(word.slice(1), 10));
const fromUtf8 = (word: string): string => Buffer.from(word.replaceAll('%', ''), 'hex').toString();
const literals = (meanings: Readonly<Record<string, string>>): Rule[] =>
  Object.entries(meanings).map(([word, meaning]) => [word, () => meaning]);
/** Patterns of one to `max` digits. */
const numeric = (max: number, start: string, digit: string, meaning: Rule[1]): Rule[] =>
  Array.from({ length: max }, (_, index) => [`${start}${digit.repeat(index + 1)};`, meaning]);

const IN_JSON: readonly Rule[] = [
  ...literals({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', '\\': '\\', '/': '/', '"': '"', "'": "'" }),
  ['uHHHH', fromHex],
  ['xHH', fromHex],
];
const IN_URL: readonly Rule[] = [
  ['HH', fromHex],
  ['CH%8H', fromUtf8],
  ['EH%8H%8H', fromUtf8],
  ['FH%8H%8H%8H', fromUtf8],
];
const IN_HTML: readonly Rule[] = [
  ...literals({ 'amp;': '&', 'lt;': '<', 'gt;': '>', 'quot;': '"', 'apos;': "'" }),
  ...numeric(7, '#', 'D', fromDecimal),
  ...numeric(6, '#X', 'H', fromHex),
];
const RULES = new Map<string, readonly Rule[]>([
  ['+', literals({ '': ' ' })],
  ['\\', IN_JSON],
  ['%', IN_URL],
  ['&', IN_HTML],
]);

/**
 * Finds all ways to read a text whose parts may be escaped as in JSON, a URL, a form or HTML, also one within another. Returns a
 * function that lists the steps from an index: first the raw character, and nothing at the end of the text.
 */
export function decode(text: string): (at: number) => readonly Step[] {
  const escapes: (readonly Step[] | undefined)[] = [];
  const rawAt = (at: number): Step[] => (at < text.length ? [{ to: at + 1, text: text.charAt(at) }] : []);
  const stepsAt = (at: number): readonly Step[] => escapes[at] ?? rawAt(at);
  /** The words that can be read from an index and match a pattern. */
  function* words(at: number, pattern: string): Generator<Step> {
    if (pattern === '') yield { to: at, text: '' };
    const wanted = pattern.charAt(0);
    for (const { to, text: sign } of pattern === '' ? [] : stepsAt(at))
      if (CLASSES[wanted]?.test(sign) ?? sign === wanted)
        for (const rest of words(to, pattern.slice(1))) yield { to: rest.to, text: sign + rest.text };
  }
  for (let at = text.length - 1; at >= 0; at--) {
    const steps = rawAt(at);
    // what was decoded may begin another escape
    for (const { to: after, text: sign } of steps)
      for (const [pattern, meaning] of RULES.get(sign) ?? [])
        for (const { to, text: word } of words(after, pattern)) {
          const meant = meaning(word);
          const isNew = steps.every((known) => known.to !== to || known.text !== meant);
          if (isNew && steps.length < MAX_STEPS && to - at <= MAX_SPAN) steps.push({ to, text: meant });
        }
    if (steps.length > 1) escapes[at] = steps;
  }
  return stepsAt;
}
