import { expect, test } from 'vitest';
import { resultTable } from './suite-results.ts';

test('each result is a line of the table, with the reason of what did not run', () => {
  const table = resultTable([
    {
      suite: 'pyairbyte',
      name: 'full read',
      outcome: 'passed',
      seconds: 2.25,
      figures: '5 rows',
      reason: '',
    },
    { suite: 'a_b', name: 'x', outcome: 'skipped', seconds: 0, figures: '', reason: 'Skipped: no docker' },
  ]);
  expect(table.split('\n')).toStrictEqual([
    'suite      test       outcome  time   figures',
    '---------------------------------------------',
    'pyairbyte  full read  passed   2.3 s  5 rows',
    'a b        x          skipped  0.0 s',
    '    no docker',
  ]);
});
