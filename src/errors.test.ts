import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CONFIG_CODES, TRANSIENT_CODES } from './errors.ts';

const SRC = import.meta.dirname;
const CODES = [...CONFIG_CODES, ...TRANSIENT_CODES];

test('docs/errors.md documents every error code with its failure type, and no others', () => {
  const page = readFileSync(join(SRC, '../docs/errors.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` *\| `(\w+)` *\| (.+?) +\| (.+?) +\|$/gm)];
  const ofType = (wanted: string): Set<unknown> =>
    new Set(rows.filter(([, , type]) => type === wanted).map(([, code]) => code));
  expect(ofType('config_error')).toStrictEqual(new Set(CONFIG_CODES));
  expect(ofType('transient_error')).toStrictEqual(new Set(TRANSIENT_CODES));
  expect(rows).toHaveLength(CODES.length);
});

test('every code is used', () => {
  const source = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(test|fake|test-support)\.ts$/.test(file))
    .filter((file) => file !== 'errors.ts')
    .map((file) => readFileSync(join(SRC, file), 'utf8'))
    .join('');
  expect(CODES.filter((code) => !source.includes(`'${code}'`))).toStrictEqual([]);
});
