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
