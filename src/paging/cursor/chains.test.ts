import { describe, expect, test } from 'vitest';
import { mayBeDead, noteProgress, noteSize, startAgain, takeDue } from './chains.ts';
import { beginReading, chainFrom, type Chain, type Reading } from './reading.ts';
import { readBy } from './reading.test-support.ts';

type Known = Partial<Pick<Reading, 'order' | 'restartsSinceNews' | 'restartsSinceUse' | 'size'>>;

function askedWith(known: Known, maxChains: number) {
  const read = readBy(maxChains);
  const [asked] = takeDue(Object.assign(beginReading(read), known), read);
  return asked;
}

describe('old cursors are sent', () => {
  test.each<[boolean, string, Known]>([
    [false, 'at first', {}],
    [false, 'after two starts without a new row', { restartsSinceNews: 2 }],
    [true, 'after three of them', { restartsSinceNews: 3 }],
    [false, 'after two starts without a cursor that could be used', { restartsSinceUse: 2 }],
    [true, 'after three of them, though they brought new rows', { restartsSinceUse: 3 }],
    [true, 'where another chain would read the whole list', { order: 'broken' }],
  ])('%s %s', (mayBeOld, _, known) => expect(askedWith(known, 1)?.mayBeOld).toBe(mayBeOld));
});

test('starts count until one brings a new row', () => {
  const read = readBy(1);
  const reading = beginReading(read);
  const startFront = (): void => {
    startAgain(reading, reading.chains[0] as Chain, read, null);
    reading.restartsSinceUse = 0;
  };
  const mayBeOld = (): unknown => {
    for (const chain of reading.chains) chain.status = 'due';
    return takeDue(reading, read)[0]?.mayBeOld;
  };
  startFront();
  startFront();
  expect(mayBeOld()).toBe(false);
  noteProgress(reading, reading.chains[0] as Chain, { rows: ['a new one'], isOld: false }, true);
  startFront();
  startFront();
  expect(mayBeOld()).toBe(false);
  startFront();
  expect(mayBeOld()).toBe(true);
});

describe('the end that an old cursor shows is believed', () => {
  test.each<[boolean, Known]>([
    [false, { order: 'ascending', restartsSinceNews: 2 }],
    [true, { order: 'ascending', restartsSinceNews: 3 }],
    [false, { order: 'unproven', restartsSinceNews: 3 }],
    [false, { order: 'broken', restartsSinceNews: 3 }],
  ])('%s: %o', (isBelieved, known) =>
    expect(mayBeDead(Object.assign(beginReading(readBy(1)), known))).toBe(!isBelieved),
  );
});

describe('a 500 that persists is taken for an expired cursor', () => {
  const size = { configured: 100, full: 100, worked: 50, largest: 50 };
  test.each<[boolean, string, Known, number]>([
    [true, 'at first', {}, 1],
    [false, 'but not once asking again has brought no new row', { restartsSinceNews: 1 }, 1],
    [true, 'by each of several chains', { restartsSinceNews: 2 }, 3],
    [false, 'but not by more of them', { restartsSinceNews: 3 }, 3],
    [false, 'but not while smaller pages help', { size }, 1],
  ])('%s %s', (mayBeBroken, _, known, maxChains) =>
    expect(askedWith(known, maxChains)?.mayBeBroken).toBe(mayBeBroken),
  );
});

describe('ten starts without a new row, for each of the chains, are the last', () => {
  test.each([
    [1, 'cursors expire'],
    [2, 'cursors expire in parallel'],
  ])('%i chains', (maxChains, message) => {
    const read = readBy(maxChains);
    const reading = beginReading(read);
    const startFront = () => reading.chains.map((front) => startAgain(reading, front, read, null));
    for (let count = 0; count < 10 * maxChains; count++)
      expect(startFront()).toEqual([{ kind: 'asked again' }]);
    expect(startFront).toThrow(new Error(message));
  });
});

describe('after a smaller page, the front alone asks for full ones again', () => {
  test.each<[boolean, string, number, Chain['status'], number | null]>([
    [true, 'because its next page is due', 0, 'due', null],
    [false, 'but not once it is over', 0, 'over', null],
    [false, 'nor a chain ahead', 1, 'due', null],
    [false, 'nor if the smaller size has proven right', 0, 'due', 50],
  ])('%s: %s', (isReplaced, _, at, status, worked) => {
    const read = readBy(2);
    const reading = beginReading(read);
    reading.size = { ...reading.size, worked };
    const chains = [chainFrom(reading, 0n, 'state', read), chainFrom(reading, 1n, 'rows', read)];
    reading.chains = chains;
    const chain = chains[at] as Chain;
    chain.status = status;
    const event = noteSize(reading, chain, { isFirst: true, failures: 2, rows: 50, isNews: true }, read);
    expect(event).toMatchObject({
      kind: 'page size',
      change: { kind: worked === null ? 'worked' : 'stays' },
    });
    expect(reading.chains[at] !== chain).toBe(isReplaced);
    expect(reading.chains[1 - at]).toBe(chains[1 - at]);
  });
});
