import { expect, test } from 'vitest';
import { MUTANTS, staleMutants } from './all.ts';

test('each mutant can be planted, and its nearest tests are there', () => {
  expect(staleMutants()).toStrictEqual([]);
});

test('each folder of the source has mutants', () => {
  const folders = new Set(MUTANTS.map(({ file }) => file.split('/').slice(1, -1).join('/')));
  expect([...folders].toSorted()).toStrictEqual([
    '',
    'api',
    'commands',
    'config',
    'http',
    'paging',
    'protocol',
    'schema',
    'streams',
    'sync',
    'token',
  ]);
});
