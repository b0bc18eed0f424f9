import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../property-runs.test-support.ts';
import { createRedactor } from './redactor.ts';

const hex4 = (unit: number): string => unit.toString(16).padStart(4, '0');
const units = (text: string): number[] => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
const octets = (text: string, write: (octet: string) => string): string =>
  Array.from(Buffer.from(text), (byte) => `%${write(byte.toString(16).padStart(2, '0'))}`).join('');
const isUnreserved = (text: string): boolean => /^[\w.~-]$/.test(text);
const json = (text: string): string => JSON.stringify(text).slice(1, -1);

/** How servers write one character. */
const ESCAPES: Readonly<Record<string, (character: string) => string>> = {
  plain: (character) => character,
  JSON: json,
  'JSON of PHP': (character) => json(character).replaceAll('/', '\\/'),
  'JSON in ASCII': (character) =>
    units(character)
      .map((unit) => (unit < 128 ? json(String.fromCharCode(unit)) : `\\u${hex4(unit)}`))
      .join(''),
  'JSON in escapes': (character) =>
    units(character)
      .map((unit) => `\\u${hex4(unit).toUpperCase()}`)
      .join(''),
  URL: (character) => encodeURIComponent(character),
  'URL in small digits': (character) => (isUnreserved(character) ? character : octets(character, String)),
  'URL, all of it': (character) => octets(character, (octet) => octet.toUpperCase()),
  form: (character) => new URLSearchParams({ a: character }).toString().slice(2),
  HTML: (character) =>
    character.replace(
      /[&<>"']/,
      (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[sign] ?? sign,
    ),
  'HTML by numbers': (character) => `&#${character.codePointAt(0)};`,
  'HTML in hexadecimal': (character) => `&#x${character.codePointAt(0)?.toString(16)};`,
};
const CODINGS: Readonly<Record<string, (secret: string) => { text: string; shown: number }>> = {
  none: (text) => ({ text, shown: 8 }),
  base64: (text) => ({ text: Buffer.from(text).toString('base64'), shown: 14 }),
  base64url: (text) => ({ text: Buffer.from(text).toString('base64url'), shown: 14 }),
  Basic: (text) => ({ text: Buffer.from(`user:${text}`).toString('base64').slice(8), shown: 14 }),
  hex: (text) => ({ text: Buffer.from(text).toString('hex'), shown: 16 }),
};

const unit = fc.oneof(
  fc.constantFrom(...Array.from('abcXYZ019+/=&\'"<>\\%-_.~ {}[]:;,!?#@$^|`()')),
  fc.constantFrom('ä', 'ß', 'Ж', '中', 'ي', '\u{1f69a}', '\n', '\t', '\u0085', '\u2028'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((one) => one !== '*'),
);
const around = fc.string({ unit, maxLength: 12 });
const world = fc.record({
  secret: fc.string({ unit, minLength: 8, maxLength: 40 }),
  coding: fc.constantFrom(...Object.keys(CODINGS)),
  // each level escapes what the one before has written
  levels: fc.array(fc.array(fc.constantFrom(...Object.keys(ESCAPES)), { minLength: 1, maxLength: 2 }), {
    maxLength: 2,
  }),
  before: around,
  after: around,
  cut: fc.tuple(fc.nat(100), fc.nat(100)),
});

function escaped(character: string, levels: readonly (readonly string[])[], index: number): string {
  return levels.reduce((text, level) => {
    const how = ESCAPES[level[index % level.length] ?? 'plain'] ?? String;
    return Array.from(text, how).join('');
  }, character);
}

test('property: eight consecutive characters of a secret are never readable, however it is escaped and truncated', () => {
  fc.assert(
    fc.property(world, ({ secret, coding, levels, before, after, cut: [from, to] }) => {
      const redactor = createRedactor();
      redactor.hide(secret);
      const { text, shown } = CODINGS[coding]?.(secret) ?? { text: '', shown: 0 };
      const written = Array.from(text, (character, index) => escaped(character, levels, index));
      const whole = before + written.join('') + after;
      const end = whole.length - Math.floor((whole.length * to) / 300);
      const result = redactor.redact(whole.slice(Math.floor((whole.length * from) / 300), end));
      for (let start = 0; start + shown <= written.length; start++)
        expect(result).not.toContain(written.slice(start, start + shown).join(''));
    }),
    { numRuns: runs(6000) },
  );
});

test('a text without secrets is unchanged', () => {
  const redactor = createRedactor();
  redactor.hide('sandbox-secret');
  redactor.expose('sandbox-client');
  const words = 'client_id sandbox-client: see %7B"a":"\\u00e4"}&amp;+ and https://host/a?b=c%20d';
  expect(redactor.redact(words)).toBe(words);
  expect(redactor.redact('sandbox-secret')).toBe('******');
});
