import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CONFIG_CODES, TRANSIENT_CODES } from './errors.ts';

const SRC = import.meta.dirname;
const CODES = [...CONFIG_CODES, ...TRANSIENT_CODES];

test('docs/errors.md has a section for every error code, with causes and a cure, and no others', () => {
  const page = readFileSync(join(SRC, '../docs/errors.md'), 'utf8');
  for (const [heading, codes] of [
    ['A person must change something', CONFIG_CODES],
    ['A later run may succeed', TRANSIENT_CODES],
  ] as const) {
    const sections = (page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '').split('\n### ').slice(1);
    expect(sections.map((section) => section.split('\n')[0])).toStrictEqual([...codes]);
    for (const section of sections)
      expect(section).toMatch(/^\w+\n\n\S.*\n\n- \*\*Usual causes\*\*: .*\n- \*\*Cure\*\*: .*\n*$/);
  }
});

test('every code is used', () => {
  const source = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(test|fake|test-support)\.ts$/.test(file))
    .map((file) => readFileSync(join(SRC, file), 'utf8'))
    .join('')
    .replaceAll(/export const \w+_CODES = [^;]*;/g, '');
  expect(CODES.filter((code) => !source.includes(`'${code}'`))).toStrictEqual([]);
});
