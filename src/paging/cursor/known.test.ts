import { describe, expect, test } from 'vitest';
import {
  GIVEN,
  GIVEN_AHEAD,
  forgetBefore,
  isOfFront,
  knownOf,
  noteFront,
  printIn,
  receive,
  secondOf,
  receiptsOf,
  seenIn,
  type SeenRows,
} from './known.ts';
import { earlierPrintOf, printOf, type Print } from './print.ts';

const ALL = -Infinity;
const LIMITS = { maxSeen: 4, lastReceived: 2, sweptAfter: 0 };

/** The known rows of a read, of which the first chain is the front. */
function knownBy(given: SeenRows) {
  const known = knownOf(given);
  noteFront(known, 1);
  return known;
}

/** Rows that the front received in this order, each with its created second. */
function received(...rows: readonly (readonly [print: string, second: number])[]) {
  const known = knownBy({ seen: [], ahead: [] });
  for (const [print, second] of rows) receive(known, print, second, 1);
  return known;
}

test('a row is known by the print of the version that wrote the state, as long as that is known', () => {
  const text = Buffer.from('{"id":1}');
  const earlier = { print: earlierPrintOf(text), second: 1 };
  const own = { print: printOf(text), second: 1 };
  const other = { print: earlierPrintOf(Buffer.from('{"id":2}')), second: 1 };
  expect(printIn(knownOf({ seen: [earlier], ahead: [] }), text)).toBe(earlier.print);
  expect(printIn(knownOf({ seen: [other], ahead: [own] }), text)).toBe(own.print);
  expect(printIn(knownOf({ seen: [], ahead: [] }), text)).toBe(own.print);
});

test('the created second is exact, and rounded down', () => {
  expect(secondOf(1_767_348_030_999_999_999n - 1000n)).toBe(1_767_348_030);
  expect(secondOf(1_767_348_030_000_000_000n)).toBe(1_767_348_030);
  expect(secondOf(-1n)).toBe(-1);
});

const prints = ({ seen }: { readonly seen: readonly { readonly print: Print }[] }): string =>
  seen.map(({ print }) => print).join('');

describe('a state', () => {
  test('has the rows in the order of their last receipt', () => {
    expect(prints(seenIn(receiptsOf(received(['a', 1], ['b', 2], ['a', 1])), ALL, LIMITS))).toBe('ba');
  });

  test('keeps the rows received last, and says if it has no room for others', () => {
    const four = received(['a', 9], ['b', 1], ['c', 2], ['d', 3]);
    expect(seenIn(receiptsOf(four), ALL, LIMITS)).toMatchObject({ isFull: false });
    receive(four, 'e', 4, 1);
    const five = seenIn(receiptsOf(four), ALL, LIMITS);
    expect([prints(five), five.isFull]).toEqual(['bcde', true]);
  });

  test('leaves out earlier rows, but for the last received', () => {
    const known = received(['a', 5], ['b', 4], ['c', 5], ['d', 1], ['e', 1]);
    expect(prints(seenIn(receiptsOf(known), 5, LIMITS))).toBe('acde');
  });

  test('keeps rows apart that only chains ahead have returned, and has no room for them before all others', () => {
    const known = knownBy({ seen: [{ print: 'y', second: 1 }], ahead: [{ print: 'z', second: 9 }] });
    receive(known, 'a', 9, 2);
    receive(known, 'b', 1, 1);
    receive(known, 'c', 9, 2);
    receive(known, 'a', 9, 1);
    const { seen, ahead, isFull } = seenIn(receiptsOf(known), ALL, LIMITS);
    expect([prints({ seen }), prints({ seen: ahead }), isFull]).toEqual(['yba', 'c', true]);
    expect(knownOf({ seen, ahead }).receivers.get('c')).toBe(GIVEN_AHEAD);
  });

  test('is that of its moment, whatever is received or forgotten later', () => {
    const known = received(['a', 1], ['b', 2]);
    const before = receiptsOf(known);
    receive(known, 'c', 3, 1);
    receive(known, 'd', 4, 1);
    forgetBefore(known, 9, LIMITS);
    expect(prints(seenIn(before, ALL, LIMITS))).toBe('ab');
  });
});

describe('forgetting', () => {
  test('keeps the rows from a second on, and the last received, with the chains that received them', () => {
    const known = knownOf({ seen: [{ print: 'z', second: 7 }], ahead: [] });
    for (const [print, second, chain] of [
      ['a', 5, 1],
      ['b', 4, 2],
      ['c', 1, 3],
      ['d', 1, 4],
    ] as const)
      receive(known, print, second, chain);
    forgetBefore(known, 5, LIMITS);
    expect([...known.receivers]).toEqual([
      ['z', GIVEN],
      ['a', 1],
      ['c', 3],
      ['d', 4],
    ]);
    expect([known.seconds, known.chains]).toEqual([
      [7, 5, 1, 1],
      [GIVEN, 1, 3, 4],
    ]);
  });

  test('waits until enough rows were received since the last time', () => {
    const known = received(['a', 1], ['b', 1], ['c', 1], ['d', 1]);
    const waits = { ...LIMITS, sweptAfter: 5 };
    forgetBefore(known, 9, waits);
    expect(known.receivers.size).toBe(4);
    receive(known, 'e', 1, 1);
    forgetBefore(known, 9, waits);
    expect(known.receivers.size).toBe(2);
    // twice what was left, and as many again
    for (const print of ['f', 'g', 'h', 'i', 'j', 'k']) receive(known, print, 1, 1);
    forgetBefore(known, 9, waits);
    expect(known.receivers.size).toBe(8);
    receive(known, 'l', 1, 1);
    forgetBefore(known, 9, waits);
    expect(known.receivers.size).toBe(2);
  });
});

test('a row of the front stays one when a chain ahead returns it, and others become one with their chain', () => {
  const known = knownBy({ seen: [{ print: 'y', second: 1 }], ahead: [{ print: 'z', second: 1 }] });
  receive(known, 'a', 1, 1);
  for (const print of ['a', 'b', 'y']) receive(known, print, 1, 2);
  const ofFront = (): string =>
    ['a', 'b', 'y', 'z', 'other'].filter((print) => isOfFront(known, print)).join('');
  expect(ofFront()).toBe('ay');
  forgetBefore(known, 1, LIMITS);
  expect(ofFront()).toBe('ay');
  expect(prints(seenIn(receiptsOf(known), ALL, LIMITS))).toBe('ay');
  noteFront(known, 2);
  expect(ofFront()).toBe('aby');
});

test('once a row of the front is forgotten, only a chain ahead may have returned it', () => {
  const known = knownBy({ seen: [], ahead: [] });
  for (const chain of [1, 2]) receive(known, 'a', 1, chain);
  for (const print of ['v', 'w']) receive(known, print, 9, 2);
  forgetBefore(known, 9, LIMITS);
  expect(known.receivers.has('a')).toBe(false);
  receive(known, 'a', 1, 2);
  expect(isOfFront(known, 'a')).toBe(false);
});
