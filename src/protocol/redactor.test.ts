import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readingsOf } from './escapes.ts';
import { createRedactor } from './redactor.ts';

const SECRET = 'pä"ss\\word+/=?&\n\u{1f69a}';

const quotedOnce = (text: string): string => JSON.stringify(text).slice(1, -1);
const hex = (unit: string, digits: number): string => unit.charCodeAt(0).toString(16).padStart(digits, '0');
const bytesAs = (write: (byte: number) => string): string => Array.from(Buffer.from(SECRET), write).join('');

test.each<[form: string, text: string]>([
  ['plain', SECRET],
  ['JSON', quotedOnce(SECRET)],
  ['JSON with escaped slashes', quotedOnce(SECRET).replaceAll('/', String.raw`\/`)],
  ['JSON in JSON', quotedOnce(quotedOnce(SECRET))],
  ['JSON in JSON in JSON', quotedOnce(quotedOnce(quotedOnce(SECRET)))],
  ['URL', encodeURIComponent(SECRET)],
  ['URL with small digits', encodeURIComponent(SECRET).replaceAll(/%../g, (octet) => octet.toLowerCase())],
  ['URL twice', encodeURIComponent(encodeURIComponent(SECRET))],
  ['URL of an old browser', SECRET.replaceAll(/[^\w]/g, (unit) => `%u${hex(unit, 4)}`)],
  ['HTML', 'p&auml;&quot;ss\\word+/=?&amp;\n\u{1f69a}'],
  ['HTML in numbers', SECRET.replaceAll(/[^\w]/gu, (sign) => `&#${sign.codePointAt(0)};`)],
  ['HTML in hexadecimal', SECRET.replaceAll(/[^\w]/gu, (sign) => `&#x${sign.codePointAt(0)?.toString(16)};`)],
  ['HTML in JSON', quotedOnce('p&auml;&#34;ss\\word+/=?&amp;\n\u{1f69a}')],
  [
    'JavaScript',
    SECRET.replaceAll(/[^\w]/g, (unit) => (unit > '\xff' ? `\\u${hex(unit, 4)}` : `\\x${hex(unit, 2)}`)),
  ],
  [
    'JavaScript of today',
    SECRET.replaceAll(/[^\w]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`),
  ],
  ['bytes of Python', bytesAs((byte) => `\\x${byte.toString(16).padStart(2, '0')}`)],
  ['bytes in octal digits', bytesAs((byte) => `\\${byte.toString(8).padStart(3, '0')}`)],
  ['UTF-8 read as Latin-1', Buffer.from(SECRET).toString('latin1')],
  ['base64', Buffer.from(SECRET).toString('base64')],
  ['base64 for URLs', Buffer.from(SECRET).toString('base64url')],
])('each occurrence of a secret is masked in the form %s', (_, text) => {
  const redactor = createRedactor();
  redactor.hide(SECRET);
  expect(redactor.redact(`a ${text} b ${text}`)).toBe('a ****** b ******');
});

const bytes = Array.from(Buffer.from(SECRET));
const pairs = bytes.map((byte) => byte.toString(16).padStart(2, '0'));

test.each<[form: string, text: string, masked: string | RegExp]>([
  ['JSON of a buffer', JSON.stringify(Buffer.from(SECRET)), '{"type":"Buffer","data":[******]}'],
  ['JSON of an array of bytes', JSON.stringify(new Uint8Array(bytes)), '{"0":******}'],
  ['JSON on many lines', JSON.stringify({ data: { a: bytes } }, null, 4), /^[^\d]*\*{6}\s+\]\s+\}\s+\}$/],
  [
    'JSON on many lines, in JSON',
    JSON.stringify(JSON.stringify(bytes, null, 2)),
    String.raw`"[\n  ******\n]"`,
  ],
  ['numbers in a URL', encodeURIComponent(JSON.stringify(bytes)), '%5B******%5D'],
  ['numbers of characters', JSON.stringify(Array.from(SECRET, (sign) => sign.codePointAt(0))), '[******]'],
  ['hexadecimal of Node.js', `<Buffer ${pairs.join(' ')}>`, '<Buffer ******>'],
  ['hexadecimal with colons', pairs.join(':'), '******'],
  ['hexadecimal of .NET', pairs.join('-').toUpperCase(), '******'],
  ['hexadecimal of C', `{ ${pairs.map((pair) => `0x${pair}`).join(', ')} }`, '{ ****** }'],
  ['groups of hexadecimal', pairs.join('').replaceAll(/.{4}/g, '$& ').trim(), '******'],
  ['capitals', SECRET.toUpperCase(), '******'],
  ['small letters', SECRET.toLowerCase(), '******'],
])('each byte of a secret is masked in the form %s', (_, text, masked) => {
  const redactor = createRedactor();
  redactor.hide(SECRET);
  if (typeof masked === 'string') expect(redactor.redact(text)).toBe(masked);
  else expect(redactor.redact(text)).toMatch(masked);
});

test('characters one by one are masked', () => {
  const redactor = createRedactor();
  redactor.hide('Kq7vYwZ2mR');
  expect(redactor.redact('K q 7 v Y w Z 2 m R')).toBe('******');
  expect(redactor.redact(JSON.stringify(Array.from('Kq7vYwZ2mR')))).toBe('["******"]');
});

test('numbers and words that are no secret are left as they are', () => {
  const redactor = createRedactor();
  for (const secret of ['20251231235255', 'changeme', 'Fleet']) redactor.hide(secret);
  const text = '2025-12-31T23:52:55.424Z, 20 25 12 31, 192.168.20.25, 4b:71:37, fleet';
  expect(redactor.redact(`${text} ChangeMe`)).toBe(`${text} ******`);
});

test('the time to mask a text grows in proportion to it, whatever a server sends', () => {
  const redactor = createRedactor();
  redactor.hide(SECRET);
  const units = ['75,113,', '4b 71 ', '4b', '0x', '"0":75,', ' , ', '1234567890', '"12345'];
  const seconds = (size: number): number => {
    const begin = performance.now();
    for (const unit of units) redactor.redact(unit.repeat(size / unit.length));
    return performance.now() - begin;
  };
  seconds(4000);
  // four times as long, if the work is linear
  expect(seconds(32_000)).toBeLessThan(16 * Math.max(50, seconds(8000)));
});

test.each(['', 'm', 'me', 'me:'])('a secret is masked within base64, after %j', (before) => {
  const redactor = createRedactor();
  redactor.hide(SECRET);
  for (const alphabet of ['base64', 'base64url'] as const)
    for (const after of ['', 'a', 'ab']) {
      const text = redactor.redact(Buffer.from(before + SECRET + after).toString(alphabet));
      // of the secret's first and last byte a few bits may be left
      expect(text).toMatch(/^.{0,8}\*{6}.{0,8}$/);
    }
});

test.each([
  ['a%26b%3Dcd%25', 'a&b=cd%'],
  ['a&amp;b&#61;cd', 'a&b=cd'],
  ['a%26b%3Dcd%25', 'a&amp;b&#61;cd&percnt;'],
])('a secret that is written as %s is masked as %s too', (secret, text) => {
  const redactor = createRedactor();
  redactor.hide(secret);
  expect(redactor.redact(`${secret}, ${text}`)).toBe('******, ******');
});

test('a secret whose start looks like the end of another escape is masked', () => {
  const redactor = createRedactor();
  redactor.hide('n&<abcde');
  expect(redactor.redact(String.raw`C:\n&amp;&lt;abcde`)).toBe(String.raw`C:\******`);
});

test('what looks like an escape and is none is left as it is', () => {
  const redactor = createRedactor();
  redactor.hide('a secret');
  const text = String.raw`50% &nothing; &#99999999; &#x7fffffff; \u{ffffff} \u12 \x1 \\ %zz & \\`;
  expect(redactor.redact(`${text} a+secret`)).toBe(`${text} ******`);
});

test('the work for escapes within escapes is bounded, whatever a server sends', () => {
  const text = `%${'25'.repeat(100)} &${'amp;'.repeat(100)} ${'\\'.repeat(2000)}`;
  expect(readingsOf(text).length).toBeLessThan(40);
});

test('if secrets contain one another, the longest is masked first', () => {
  for (const order of [
    ['abcd', 'abcdefgh'],
    ['abcdefgh', 'abcd'],
  ]) {
    const redactor = createRedactor();
    order.forEach(redactor.hide);
    expect(redactor.redact('abcdefgh, abcd')).toBe('******, ******');
  }
});

test('a text is masked only after it was hidden, and only if it has at least 4 characters', () => {
  const redactor = createRedactor();
  redactor.hide('');
  redactor.hide('abc');
  expect(redactor.redact('abc abcd')).toBe('abc abcd');
  redactor.hide('abcd');
  expect(redactor.redact('abc abcd')).toBe('abc ******');
});

test('any secret can be hidden, even an unpaired surrogate, and is found in any text', () => {
  const unit = fc.constantFrom('a', 'b', '%', '+', '"', '\\', '\n', 'é', '\ud800', '\u{1f69a}');
  const text = fc.string({ unit, maxLength: 8 });
  const secrets = fc.string({ unit, minLength: 4, maxLength: 12 });
  fc.assert(
    fc.property(text, secrets, text, (before, secret, after) => {
      const redactor = createRedactor();
      redactor.hide(secret);
      expect(redactor.redact(`${before}${secret}${after}`)).not.toContain(secret);
    }),
  );
  const redactor = createRedactor();
  redactor.hide('\ud800secret');
  expect(redactor.redact('\ud800secret')).toBe('******');
});
