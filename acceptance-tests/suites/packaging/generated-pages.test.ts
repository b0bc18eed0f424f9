import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSpec, type Schema } from '../conformance/schema.ts';
import { repository, textOf } from './versions.ts';

// `--update` writes the list between the marks of the page
test('docs/configuration.md has the keys of spec.json; `npm run generate` writes them', async () => {
  const page = 'docs/configuration.md';
  const [before, rest = ''] = textOf(page).split('<!-- generated from spec.json by `npm run generate` -->\n');
  const [, after] = rest.split('\n<!-- end of generated part -->');
  expect(after, `${page} has no marks`).toBeDefined();
  const lines = linesOf(readSpec().connectionSpecification, '');
  const made = `<!-- generated from spec.json by \`npm run generate\` -->\n\n${lines.join('\n')}\n\n<!-- end of generated part -->`;
  await expect(`${before}${made}${after}`).toMatchFileSnapshot(join(repository, page));
});

function linesOf({ properties = {}, required = [] }: Schema, prefix: string): string[] {
  return Object.entries(properties).flatMap(([name, key]) => {
    const path = `${prefix}${name}`;
    const without = required.includes(name) ? ' (required)' : '';
    const preset = key.default === undefined ? without : ` (\`${JSON.stringify(key.default)}\`)`;
    const line = `- \`${path}\`${preset}: ${key.description}${bounds(key)}`;
    return [
      line,
      ...variantLines(key, path),
      ...entryLines(key, path, properties),
      ...linesOf(key, `${path}.`),
    ];
  });
}

function variantLines({ oneOf = [] }: Schema, path: string): string[] {
  return oneOf.map(({ properties = {}, description }) => {
    const members = Object.entries(properties).map(([name, { const: value }]) =>
      value === undefined ? `"${name}": […]` : `"${name}": ${JSON.stringify(value)}`,
    );
    return `- \`${path}\`: \`{${members.join(', ')}}\`: ${description}`;
  });
}

/** The entries of an array, by their variants; keys described for a sibling in the same words are only named. */
function entryLines({ items }: Schema, path: string, siblings: Readonly<Record<string, Schema>>): string[] {
  const { oneOf = [] } = [items ?? {}].flat()[0] ?? {};
  const lines = oneOf.flatMap((variant) => {
    const { properties = {}, required = [], description } = variant;
    const others = Object.entries(properties).filter(([, key]) => key.const === undefined);
    const known = others.filter(([name, { description: words }]) =>
      Object.values(siblings).some((object) => object.properties?.[name]?.description === words),
    );
    const names = known.map(([name]) => `\`${name}\``).join(', ');
    const own = { required, properties: Object.fromEntries(others.filter((key) => !known.includes(key))) };
    const [kind] = Object.entries(properties).map(([name, key]) => `"${name}": ${JSON.stringify(key.const)}`);
    const head = `- \`${path}[]\`: \`{${kind}, …}\`: ${description} Also: ${names}.`;
    return [head, ...linesOf(own, `${path}[].`)];
  });
  return [...new Set(lines)];
}

function bounds({ minimum, maximum }: Schema): string {
  if (minimum === undefined) return '';
  const min = minimum.toLocaleString('en');
  return maximum === undefined ? ` At least ${min}.` : ` ${min} to ${maximum.toLocaleString('en')}.`;
}
