import { describe, expect, test } from 'vitest';
import { CURSOR_STATE } from '../limits.ts';
import { printOf } from '../paging/cursor/print.ts';
import { MIN_INSTANT, readTime, type Instant } from '../paging/instant.ts';
import type { StreamState } from '../protocol/messages.ts';
import { startFrom, stateFor } from './cursor-state.ts';

const FIELD = 'createdDate';
const ORIGIN = { stream: 'alarms', file: 'F' };
const print = (of: number): bigint => printOf(Buffer.from(String(of)));
const at = (text: string): Instant => readTime(text)?.instant ?? MIN_INSTANT;
const QUESTION = '2026-01-01T00:00:00Z';
const FORMAT = readTime(QUESTION)?.format ?? null;
const second = (text: string): number => Number(at(text) / 1_000_000_000n);

/** The form of a state after it was written and read again. */
function again(state: StreamState) {
  return startFrom(ORIGIN, JSON.parse(JSON.stringify(state)) as object, FIELD).from;
}

describe('a state', () => {
  const seen = [
    { print: print(1), second: second('2026-01-01T00:00:07Z') },
    { print: print(2), second: second('2025-12-01T00:00:00Z') },
    { print: print(3), second: second('2026-01-01T02:46:39Z') },
  ];

  test.each([
    ['', '2025-12-31T23:00:00Z'],
    [', which is the beginning of the list', null],
  ])(
    'is read as it was written: the questions, the known rows and their seconds, and what was left out%s',
    (_, before) => {
      const confirmed = before === null ? MIN_INSTANT : at(before);
      const leftOut = { since: at('2025-06-01T00:00:00Z'), until: at('2025-12-31T12:00:00.5Z') };
      const ahead = [{ print: print(4), second: second('2026-01-01T05:00:00Z') }];
      const position = { question: at(QUESTION), confirmed, seen, ahead, format: FORMAT, leftOut };
      const state = stateFor(position, at('2026-01-01T03:00:00Z'), FIELD);
      expect(state).toMatchObject({
        version: 2,
        created_since: QUESTION,
        confirmed_since: before,
        created_field: FIELD,
        read_at: '2026-01-01T03:00:00.000000000Z',
      });
      expect(again(state)).toStrictEqual({
        ...position,
        floor: MIN_INSTANT,
        readAt: at('2026-01-01T03:00:00Z'),
      });
    },
  );

  test('without a question counts seconds from 1970', () => {
    const nothing = { question: MIN_INSTANT, confirmed: MIN_INSTANT, format: null, leftOut: null };
    const position = { ...nothing, seen, ahead: [] };
    const state = stateFor(position, null, FIELD);
    expect(state).not.toHaveProperty('read_at', expect.anything());
    expect(again(state)).toMatchObject({ question: MIN_INSTANT, seen });
  });

  test.each([QUESTION, null])('with as many rows as it can hold stays below 256 KB, from %s', (since) => {
    const rows = Array.from({ length: CURSOR_STATE.maxSeen }, (_, row) => ({
      print: print(row),
      second: second('2026-01-01T00:00:00Z') + 100_000 + row,
    }));
    const question = since === null ? MIN_INSTANT : at(since);
    const state = stateFor(
      { question, confirmed: question, seen: rows, ahead: [], format: FORMAT, leftOut: null },
      at(QUESTION),
      FIELD,
    );
    expect(JSON.stringify(state).length).toBeLessThan(256_000);
  });
});

test.each<[what: string, state: object, problem: string]>([
  ['times that are none', { version: 2, created_since: 'soon', seen: [] }, '"created_since" must be a time'],
  [
    'a time of the last read that is none',
    { version: 2, seen: [], read_at: 'x' },
    '"read_at" must be a time',
  ],
  [
    'known rows of another form',
    { version: 2, created_since: QUESTION, seen: ['AAAAAAAAAAAA:'] },
    '"seen[0]"',
  ],
  ['known rows that are no texts', { version: 2, created_since: QUESTION, seen: [7] }, '"seen[0]"'],
  ['known rows that are no list', { version: 2, created_since: QUESTION, seen: 'AAAA' }, '"seen"'],
  ['another version', { version: 3, created_since: QUESTION, seen: [] }, '"version"'],
  ['a range of 0.1.0 without a time', { open: [{ since: 'x' }] }, '"open[0].since" must be a time'],
  ['a range of 0.1.0 that ends at no time', { open: [{ since: QUESTION, until: 'x' }] }, '"open[0].until"'],
  ['half of what was left out', { version: 2, seen: [], left_out: { since: QUESTION } }, '"left_out.until"'],
  [
    'known rows that look like a placeholder',
    { version: 2, created_since: QUESTION, seen: ['??'] },
    '"seen[0]" must be written as a fingerprint and a time, such as "3q2-7wEAAAB:1a2b"; it looks like a placeholder: was its value not filled in? Fix it,',
  ],
  [
    'too many known rows',
    { version: 2, seen: Array.from({ length: 10_001 }, () => '3q2-7wEAAAAB:1a2b') },
    '"seen" must have at most 10000',
  ],
  [
    'a member of a range that is unknown',
    { open: [{ until: QUESTION, cursor: 'x' }] },
    '"open[0].cursor" is unknown',
  ],
  [
    'a misspelled key next to others',
    { version: 2, createdSince: QUESTION, seen: [] },
    'the unknown "createdSince" must not be there (did you mean "created_since"?). Fix it,',
  ],
  [
    'a misspelled key only',
    { created_sinse: QUESTION },
    '"version", "created_since" or "open" must be there, and the unknown "created_sinse" must not (did you mean "created_since"?)',
  ],
])('%s: refused, with the place', (_, state, problem) => {
  expect(() => startFrom(ORIGIN, state, FIELD)).toThrow(
    /^state F: alarms: (?!.*(?:\?\.|\^|NOT)).*, or remove the stream from the state to/,
  );
  expect(() => startFrom(ORIGIN, state, FIELD)).toThrow(problem);
});

test('a state of another created field starts over', () => {
  const given = { version: 2 as const, created_since: QUESTION, seen: [], created_field: 'occurredAt' };
  const begin = startFrom(ORIGIN, given, FIELD);
  expect(begin).toMatchObject({ isOtherField: true, given: null, from: { question: MIN_INSTANT, seen: [] } });
});

describe('a state by hand', () => {
  test('of created_since alone is like a start date: earlier rows are asked for, and left out', () => {
    const { from } = startFrom(ORIGIN, { created_since: '2026-01-01T00:04:40Z' }, FIELD);
    expect(from).toMatchObject({
      question: at('2026-01-01T00:03:00Z'),
      floor: at('2026-01-01T00:04:40Z'),
      seen: [],
    });
  });

  test('with no known rows leaves nothing out', () => {
    const { from } = startFrom(ORIGIN, { created_since: '2026-01-01T00:04:40Z', seen: [] }, FIELD);
    expect(from).toMatchObject({ question: at('2026-01-01T00:03:00Z'), floor: MIN_INSTANT });
  });
});
