import { expect, test } from 'vitest';
import { createEmissionLedger } from './emission-ledger.ts';

/** A letter is a row; `|` begins a round, `.` is a state, `!` a lost place, `*` a new read. */
test.each<[what: string, events: string, kinds: string[]]>([
  ['a row behind the last state may come again', '|a.b|b', ['new', 'new', 'repeat']],
  ['one that a state covers may not', '|a.b|a', ['new', 'new', 'unexplained']],
  ['nor may one come twice in a round', '|aa', ['new', 'unexplained']],
  [
    'a state does not cover what only an earlier round has emitted',
    '|a|b.|ab',
    ['new', 'new', 'repeat', 'unexplained'],
  ],
  ['after a lost place each row may come once more', '|a.|!a.|a', ['new', 'read again', 'unexplained']],
  ['what is forgotten is new', '|a.|*a', ['new', 'new']],
])('%s', (_, events, kinds) => {
  const ledger = createEmissionLedger();
  const acts: Record<string, () => void> = {
    '|': ledger.startRound,
    '.': ledger.state,
    '!': ledger.readAgain,
    '*': ledger.forget,
  };
  const found = Array.from(events, (event) => {
    const act = acts[event];
    return act === undefined ? ledger.row(event) : act();
  });
  expect(found.filter((kind) => kind !== undefined)).toStrictEqual(kinds);
});
