/** A text after decoding, with the index in the text at which each character (UTF-16 unit) begins, and the one after it. */
export interface Reading {
  readonly decoded: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

const MAX_DEPTH = 8; // of escapes within escapes

const OCTET = /%(?:u[\da-fA-F]{4}|[\da-fA-F]{2})/;
/** Of JSON, JavaScript, Python, C and shells: any other character stands for itself. */
const BACKSLASH =
  /\\(?:u[\da-fA-F]{4}|u\{[\da-fA-F]{1,6}\}|U[\da-fA-F]{8}|x[\da-fA-F]{2}|[0-3][0-7]{2}|[0abefnrtv]|[^a-zA-Z\d])/;
const ENTITY = /&(?:#\d{1,7};?|#[xX][\da-fA-F]{1,6};?|[a-zA-Z]{2,8}\d{0,2};)/;
/** The bytes of one character of UTF-8, as those that other escapes stand for. */
const UTF8 = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/;
/** What separates bytes, also on lines of their own; in JSON of an array of bytes, with the index of the next one. */
const BETWEEN = String.raw`(?:[^\da-zA-Z]{0,32}"\d{1,5}"\s?:\s?|[^\da-zA-Z]{1,32})`;
/** How words are written that are bytes, and how many of them are no ordinary text. */
const BYTES = [
  { form: String.raw`\d{1,7}`, least: 4, meaning: ofDecimal },
  { form: String.raw`(?:0[xX])?(?:[\da-fA-F]{2})+`, least: 2, meaning: ofHex },
  // characters one by one, as in JSON of an array
  { form: String.raw`[\da-zA-Z]`, least: 8, meaning: (word: string) => word.charAt(0) },
].map(({ form, least, meaning }) => {
  const word = String.raw`${form}(?![\da-zA-Z])`;
  // with what is before the next word
  const step = String.raw`(?<![\da-zA-Z])${word}(?:${BETWEEN}(?=${word}))?`;
  return { run: new RegExp(`(?:${step}){${least}}`), step: new RegExp(step, 'g'), meaning };
});
const UTF8_BYTES = new RegExp(UTF8.source, 'g');
/** Each kind alone, because a secret may contain what another kind takes for an escape, and all of them mixed. */
const KINDS = [[OCTET], [BACKSLASH], [ENTITY], [OCTET, BACKSLASH, ENTITY]].map(
  (kinds) => new RegExp([...kinds, UTF8].map(({ source }) => source).join('|'), 'g'),
);

/**
 * Returns a text as it is, and what it means if it is escaped for JSON, a program, a URL, HTML or XML, also more than once. A `+` is not
 * read as the blank that it is in a form.
 */
export function readingsOf(text: string): readonly Reading[] {
  const units = Array.from({ length: text.length }, (_, at) => at);
  const plain = { decoded: text, starts: units, ends: units.map((at) => at + 1) };
  return [plain, ...KINDS.flatMap((escape) => decodings(plain, escape))];
}

/** Returns what the words of a text mean if they are bytes (decimal or hexadecimal numbers) or characters: nothing unless several are. */
export function bytesIn(outer: Reading): Reading[] {
  return BYTES.filter(({ run }) => run.test(outer.decoded)).map(({ step, meaning }) =>
    decodedOnce(decodedOnce(outer, step, meaning), UTF8_BYTES, meaningOf),
  );
}

function decodings(plain: Reading, escape: RegExp): Reading[] {
  const found: Reading[] = [];
  let outer = plain;
  while (found.length < MAX_DEPTH) {
    const inner = decodedOnce(outer, escape, meaningOf);
    if (inner.decoded === outer.decoded) break;
    found.push(inner);
    outer = inner;
  }
  return found;
}

/** The character of a number; some write those of characters instead of bytes. */
function ofDecimal(word: string): string {
  return characterOf(parseInt(word, 10)) ?? word;
}

function ofHex(word: string): string {
  const [, digits = ''] = /^(?:0[xX])?([\da-fA-F]+)/.exec(word) ?? [];
  return Buffer.from(digits, 'hex').toString('latin1');
}

function decodedOnce(outer: Reading, escape: RegExp, meaning: (word: string) => string): Reading {
  const starts: number[] = [];
  const ends: number[] = [];
  let decoded = '';
  let done = 0;
  const add = (characters: string, from: number, to: number): void => {
    decoded += characters;
    for (let unit = 0; unit < characters.length; unit++) {
      starts.push(outer.starts[from] ?? 0);
      ends.push(outer.ends[to - 1] ?? 0);
    }
  };
  const addPlain = (to: number): void => {
    for (; done < to; done++) add(outer.decoded.charAt(done), done, done + 1);
  };
  for (const { 0: word, index } of outer.decoded.matchAll(escape)) {
    addPlain(index);
    done = index + word.length;
    add(meaning(word), index, done);
  }
  addPlain(outer.decoded.length);
  return { decoded, starts, ends };
}

/** How an escape states the number of its character, and the base of the number. */
const NUMBERS: readonly (readonly [form: RegExp, base: number])[] = [
  [/^(?:%u?|\\[uUx]\{?|&#[xX])([\da-fA-F]+)[;}]?$/, 16],
  [/^&#(\d+);?$/, 10],
  [/^\\([0-7]{3})$/, 8],
];
const LETTERS: Readonly<Record<string, string>> = {
  0: '\0',
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Each character of ASCII before its names in HTML. */
const ASCII =
  '\tTab \nNewLine !excl "quot #num $dollar %percnt &amp \'apos (lpar )rpar *ast +plus ,comma .period /sol :colon ;semi <lt =equals ' +
  '>gt ?quest @commat [lsqb [lbrack \\bsol ]rsqb ]rbrack ^Hat _lowbar `grave {lcub {lbrace |verbar |vert }rcub }rbrace';
/** The names of the characters from U+00A0 to U+00FF. */
const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot ' +
  'cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml ' +
  'Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig ' +
  'agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ' +
  'ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';
const ENTITIES = new Map([
  ...ASCII.split(' ').map((word) => [word.slice(1), word.charAt(0)] as const),
  ...LATIN.split(' ').map((name, at) => [name, String.fromCharCode(0xa0 + at)] as const),
]);

/** What one escape stands for; an unknown one is returned as it is. */
function meaningOf(word: string): string {
  if (word.charCodeAt(0) > 0x7f) return Buffer.from(word, 'latin1').toString();
  for (const [form, base] of NUMBERS) {
    const [, digits] = form.exec(word) ?? [];
    if (digits !== undefined) return characterOf(parseInt(digits, base)) ?? word;
  }
  const name = word.slice(1);
  if (word.startsWith('\\')) return LETTERS[name] ?? name;
  return ENTITIES.get(name.slice(0, -1)) ?? ENTITIES.get(name.slice(0, -1).toLowerCase()) ?? word;
}

function characterOf(code: number): string | null {
  return code <= 0x10ffff ? String.fromCodePoint(code) : null;
}
