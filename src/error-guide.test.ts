import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { ERROR_GUIDE } from './error-guide.ts';

const SRC = import.meta.dirname;

const made = [...readdirSync(SRC, { recursive: true, encoding: 'utf8' })]
  .filter((file) => file.endsWith('.ts') && !/\.(test|fake|test-support)\.ts$/.test(file))
  .flatMap((file) => [
    ...readFileSync(join(SRC, file), 'utf8').matchAll(/(config|transient)Error\(\s*'([A-Z_]+)'/g),
  ])
  .map(([, type, code]) => `${code} ${type}_error`);

test('every error that the code makes is in the guide, with its failure type, and the guide has no others', () => {
  const guide = Object.entries(ERROR_GUIDE).map(([code, { failureType }]) => `${code} ${failureType}`);
  // these are handed on by a parameter
  const handedOn = [
    'CONFIG_INVALID config_error',
    'CATALOG_INVALID config_error',
    'STATE_INVALID config_error',
  ];
  expect([...new Set([...made, ...handedOn])].toSorted()).toStrictEqual(guide.toSorted());
});
