import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../property-runs.test-support.ts';
import { createRedactor } from './redactor.ts';

const hex4 = (unit: number): string => unit.toString(16).padStart(4, '0');
const units = (text: string): number[] => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
const octets = (text: string, write: (octet: string) => string): string =>
  Array.from(Buffer.from(text), (one) => write(one.toString(16).padStart(2, '0'))).join('');
const isUnreserved = (text: string): boolean => /^[\w.~-]$/.test(text);
const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const html = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => `&${NAMES[sign] ?? ''};`);
const NAMES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' };
const byte = (octet: string): string => `\\x${octet}`;
const isWord = (text: string): boolean => /^\w$/.test(text);
const escapedUnit = (unit: number): string => `\\u${hex4(unit).toUpperCase()}`;

/** How servers write one character. */
const ESCAPES: Readonly<Record<string, (character: string) => string>> = {
  plain: (character) => character,
  JSON: json,
  'JSON of PHP': (character) => json(character).replaceAll('/', '\\/'),
  'JSON in ASCII': (character) =>
    units(character)
      .map((unit) => (unit < 128 ? json(String.fromCharCode(unit)) : `\\u${hex4(unit)}`))
      .join(''),
  'JSON in escapes': (character) => units(character).map(escapedUnit).join(''),
  'JSON in JSON': (character) => json(json(character)),
  'JSON in escapes in JSON': (character) => json(units(character).map(escapedUnit).join('')),
  URL: (character) => encodeURIComponent(character),
  'URL in small digits': (character) =>
    isUnreserved(character) ? character : octets(character, (octet) => `%${octet}`),
  'URL, all of it': (character) => octets(character, (octet) => `%${octet.toUpperCase()}`),
  form: (character) => new URLSearchParams({ a: character }).toString().slice(2),
  'URL twice': (character) => encodeURIComponent(encodeURIComponent(character)),
  HTML: html,
  'HTML in numbers': (character) => (isWord(character) ? character : `&#${character.codePointAt(0)};`),
  'HTML, all of it': (character) => `&#x${character.codePointAt(0)?.toString(16)};`,
  'HTML twice': (character) => html(html(character)),
  'JSON in HTML': (character) => html(json(character)),
  'HTML in JSON': (character) => json(html(character)),
  'JSON in a URL': (character) => encodeURIComponent(json(character)),
  'URL in HTML': (character) => html(encodeURIComponent(character)),
  JavaScript: (character) =>
    character.replaceAll(/[^\w\u0100-\u{10ffff}]/gu, (sign) => byte(hex4(sign.charCodeAt(0)).slice(2))),
  'bytes of Python': (character) => (isWord(character) ? character : octets(character, byte)),
  'bytes in octal': (character) =>
    octets(character, (octet) => `\\${parseInt(octet, 16).toString(8).padStart(3, '0')}`),
  shell: (character) => (/^[!-~]$/.test(character) && !isWord(character) ? `\\${character}` : character),
};
/** At most so many bytes are ten characters: eight, and parts of two. */
const bytesOfTen = (text: string): number =>
  10 * Math.max(...Array.from(text, (one) => Buffer.byteLength(one)));
const CODINGS: Readonly<Record<string, (secret: string) => { text: string; shown: number }>> = {
  none: (text) => ({ text, shown: 8 }),
  base64: (text) => ({ text: Buffer.from(text).toString('base64'), shown: 14 }),
  base64url: (text) => ({ text: Buffer.from(text).toString('base64url'), shown: 14 }),
  Basic: (text) => ({ text: Buffer.from(`user:${text}`).toString('base64').slice(8), shown: 14 }),
  hex: (text) => ({ text: Buffer.from(text).toString('hex'), shown: 16 }),
  'hex words': (text) => ({ text: octets(text, (octet) => `${octet}:`), shown: 3 * bytesOfTen(text) }),
  'hex of C': (text) => ({ text: octets(text, (octet) => `0x${octet}, `), shown: 6 * bytesOfTen(text) }),
  numbers: (text) => ({ text: Array.from(Buffer.from(text)).join(','), shown: 4 * bytesOfTen(text) }),
  capitals: (text) => ({ text: text.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase()), shown: 8 }),
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
  escape: fc.constantFrom(...Object.values(ESCAPES)),
  before: around,
  after: around,
  cut: fc.tuple(fc.nat(100), fc.nat(100)),
});

test('property: eight consecutive characters of a secret are never readable, in any form, and truncated', () => {
  fc.assert(
    fc.property(world, ({ secret, coding, escape, before, after, cut: [from, to] }) => {
      const redactor = createRedactor();
      redactor.hide(secret);
      const { text, shown } = CODINGS[coding]?.(secret) ?? { text: '', shown: 0 };
      const written = Array.from(before + text + after, escape);
      const kept = written.slice(Math.floor((written.length * from) / 300)).join('');
      const result = redactor.redact(kept.slice(0, kept.length - Math.floor((kept.length * to) / 300)));
      const start = Array.from(before).length;
      for (let at = start; at + shown <= start + Array.from(text).length; at++)
        expect(result).not.toContain(written.slice(at, at + shown).join(''));
    }),
    { numRuns: runs(6000, 1 / 20) },
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
