import { expect, test } from 'vitest';
import { valueHint } from './value-hint.ts';

test.each([
  '${A}',
  '$(A)',
  '$A',
  '{{ a }}',
  '<a>',
  '[a]',
  '["a"]',
  '%A%',

  '**********',
  '…',
  '---',
  'https://{host}/x',
  'HTTPS://{host}/x',
])('%s may be a placeholder', (value) => {
  expect(valueHint(value)).toBe('looks like a placeholder: was its value not filled in?');
});

test.each([' me', 'me\n', '"me"', '\u201cme\u201d', '`me', 'me\u00a0'])('%j is wrapped', (value) => {
  expect(valueHint(value)).toBe('begins or ends with white space or a quote: is that intended?');
});

test.each(['me\u200b', '\ufeffme', 'm\u00ade', 'a\u00a0b', 'a\u0007b'])(
  '%j has an unseen character',
  (value) => {
    expect(valueHint(value)).toMatch(
      /^(has a character that cannot be seen|begins or ends with white space)/,
    );
  },
);

test.each([
  'me',
  'pa$$word',
  'a{b}c',
  'x y',
  'p@ss!',
  'f\u00fcr',
  'https://h.example/a(1)?b=c',
  'c2VjcmV0cw==',
  'a1=b',
  'a:b',
  '123',
  '',
])('%j is ordinary', (value) => {
  expect(valueHint(value)).toBeNull();
});

test.each([
  'CLIENT_SECRET=s3cr3t',
  'export client_secret = "s3cr3t"',
  'client_secret: s3cr3t',
  '# of the fleet\nCLIENT_ID=me\nCLIENT_SECRET=s3cr3t',
  '{"client_secret":"s3cr3t"}',
  '[{\n  "a": "b"\n}]',
])('%j has a name beside its value', (value) => {
  expect(valueHint(value)).toBe('has a name in it, like a file of settings: was only the value meant?');
});
