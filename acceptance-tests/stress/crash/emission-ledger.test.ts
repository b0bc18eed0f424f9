import { expect, test } from 'vitest';
import { createEmissionLedger } from './emission-ledger.ts';

test('a row behind the last state of a killed round may come again, one that a state covers may not', () => {
  const ledger = createEmissionLedger();
  ledger.startRound(1);
  expect(ledger.row('a')).toStrictEqual({ kind: 'new' });
  ledger.state();
  expect(ledger.row('b')).toStrictEqual({ kind: 'new' });
  expect(ledger.uncovered()).toBe(1);
  ledger.startRound(2);
  expect(ledger.uncovered()).toBe(0);
  expect(ledger.row('b')).toStrictEqual({ kind: 'repeat', round: 1 });
  expect(ledger.row('a')).toStrictEqual({ kind: 'unexplained', round: 1 });
});

test('a row twice in one round is never explained', () => {
  const ledger = createEmissionLedger();
  ledger.startRound(1);
  ledger.row('a');
  expect(ledger.row('a')).toStrictEqual({ kind: 'unexplained', round: 1 });
});

test('a state does not cover what only an earlier round has emitted', () => {
  const ledger = createEmissionLedger();
  ledger.startRound(1);
  ledger.row('a');
  ledger.startRound(2);
  ledger.row('b');
  ledger.state();
  ledger.startRound(3);
  expect(ledger.row('a')).toStrictEqual({ kind: 'repeat', round: 1 });
  expect(ledger.row('b')).toStrictEqual({ kind: 'unexplained', round: 2 });
});

test('after a lost place each row may come once more', () => {
  const ledger = createEmissionLedger();
  ledger.startRound(1);
  ledger.row('a');
  ledger.state();
  ledger.startRound(2);
  ledger.readAgain();
  expect(ledger.row('a')).toStrictEqual({ kind: 'readAgain' });
  ledger.state();
  ledger.startRound(3);
  expect(ledger.row('a')).toStrictEqual({ kind: 'unexplained', round: 2 });
});

test('what is forgotten is new', () => {
  const ledger = createEmissionLedger();
  ledger.startRound(1);
  ledger.row('a');
  expect([...ledger.rows()]).toStrictEqual(['a']);
  ledger.forget();
  expect(ledger.row('a')).toStrictEqual({ kind: 'new' });
});
