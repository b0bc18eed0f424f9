import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSpec } from '../conformance/schema.ts';
import type { Schema } from '../conformance/schema.ts';
import { repository, textOf } from './versions.ts';

// the list stands between the marks of the page; where it does not, `--update` puts it there
test('docs/configuration.md has the keys of spec.json; `npm run generate` writes them', async () => {
  const page = 'docs/configuration.md';
  const [before, rest = ''] = textOf(page).split('<!-- made from spec.json by `npm run generate` -->\n');
  const [, after] = rest.split('\n<!-- end of what is made -->');
  expect(after, `${page} has no marks`).toBeDefined();
  const lines = linesOf(readSpec().connectionSpecification, '');
  const made = `<!-- made from spec.json by \`npm run generate\` -->\n\n${lines.join('\n')}\n\n<!-- end of what is made -->`;
  await expect(`${before}${made}${after}`).toMatchFileSnapshot(join(repository, page));
});

/** The lines of an object's keys, and of the keys within them. */
function linesOf({ properties = {}, required = [] }: Schema, prefix: string): string[] {
  return Object.entries(properties).flatMap(([name, key]) => {
    const path = `${prefix}${name}`;
    const without = required.includes(name) ? ' (required)' : '';
    const preset = key.default === undefined ? without : ` (\`${JSON.stringify(key.default)}\`)`;
    const variants = (key.oneOf ?? []).map((variant) => {
      const { kind, ...others } = variant.properties ?? {};
      const value = [
        `"kind": ${JSON.stringify(kind?.const)}`,
        ...Object.keys(others).map((other) => `"${other}": […]`),
      ];
      return `- \`${path}\`: \`{${value.join(', ')}}\`: ${variant.description}`;
    });
    const line = `- \`${path}\`${preset}: ${key.description}${bounds(key)}`;
    return [line, ...variants, ...linesOf(key, `${path}.`)];
  });
}

function bounds({ minimum, maximum }: Schema): string {
  if (minimum === undefined) return '';
  const least = minimum.toLocaleString('en');
  return maximum === undefined ? ` At least ${least}.` : ` ${least} to ${maximum.toLocaleString('en')}.`;
}
