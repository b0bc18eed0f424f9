// The validators in this folder are compiled from JSON schemas ahead of time, because compiling one takes longer than most
// commands. This test compiles them again and compares them with the files; `npm run generate` updates the files.
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { moduleOf } from './compile-schema.test-support.ts';

const root = join(import.meta.dirname, '../..');
const readJson = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'));

const spec = readJson('spec.json') as { connectionSpecification: object };
const sources = [
  { file: 'spec.json', output: 'config', schema: spec.connectionSpecification },
  ...readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.schema.json'))
    .toSorted()
    .map((file) => join('src', file))
    .map((file) => ({ file, output: basename(file, '.schema.json'), schema: readJson(file) as object })),
];

test.each(sources)('$output: the validator matches $file', async ({ file, output, schema }) => {
  const head = `// @ts-nocheck\n// Generated from ${file} by \`npm run generate\`. Do not edit.\n`;
  await expect(head + moduleOf(schema)).toMatchFileSnapshot(`validators/${output}.generated.ts`);
});

test('no validator is left over from a schema that is gone', () => {
  const present = readdirSync(join(import.meta.dirname, 'validators'));
  expect(present.toSorted()).toStrictEqual(sources.map(({ output }) => `${output}.generated.ts`).toSorted());
});
