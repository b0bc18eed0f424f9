import { expect, test } from 'vitest';
import { secretPieces } from './secret-forms.ts';

const secret = 'canary+"secret"/%é 0123456789abcdefgh';
const pieces = secretPieces([secret]);

function base64(before: string, behind: string): string {
  return Buffer.from(`${before}${secret}${behind}`).toString('base64');
}

test.each([
  ['plain', secret],
  ['in JSON', JSON.stringify({ secret })],
  ['in an address', encodeURIComponent(secret)],
  ['in base64', base64('', '')],
  ['in base64 behind one character', base64('a', 'bc')],
  ['in base64 behind two characters', base64('ab', 'c')],
  ['in base64 for addresses', base64('ab', '').replaceAll('+', '-').replaceAll('/', '_')],
  ['cut off', secret.slice(0, 20)],
  ['without its beginning', secret.slice(9)],
])('a secret is found %s', (_, text) => {
  expect(pieces.some((piece) => `{"message":"you sent ${text}"}`.includes(piece))).toBe(true);
});

test('nothing is found where there is none', () => {
  expect(pieces.some((piece) => '{"message":"canary-client, secret: ******"}'.includes(piece))).toBe(false);
});
