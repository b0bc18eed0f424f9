import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRedactor } from './redactor.ts';

const SECRET = 'pä"ss\\word+/=?&\n\u{1f69a}';

const quotedOnce = (text: string): string => JSON.stringify(text).slice(1, -1);

test.each<[form: string, text: string]>([
  ['plain', SECRET],
  ['JSON', quotedOnce(SECRET)],
  ['JSON with escaped slashes', quotedOnce(SECRET).replaceAll('/', String.raw`\/`)],
  ['JSON in JSON', quotedOnce(quotedOnce(SECRET))],
  ['JSON in JSON in JSON', quotedOnce(quotedOnce(quotedOnce(SECRET)))],
  ['URL', encodeURIComponent(SECRET)],
  ['URL with small digits', encodeURIComponent(SECRET).replaceAll(/%../g, (octet) => octet.toLowerCase())],
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
