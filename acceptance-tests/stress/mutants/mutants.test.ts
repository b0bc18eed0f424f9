import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MUTANTS, repository, staleMutants } from './all.ts';

test('each mutant can be planted, and its tests exist', () => {
  expect(staleMutants()).toStrictEqual([]);
});

test('each source folder has mutants', () => {
  const folders = new Set(MUTANTS.map(({ file }) => file.split('/').slice(1, -1)[0] ?? ''));
  const source = readdirSync(join(repository, 'src'), { withFileTypes: true });
  const written = source.filter((entry) => entry.isDirectory() && entry.name !== 'generated');
  expect([...folders].toSorted()).toStrictEqual(['', ...written.map(({ name }) => name)].toSorted());
});
