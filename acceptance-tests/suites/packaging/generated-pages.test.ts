import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ENOUGH_SEEDS } from '../../simulation/coverage.ts';
import type { Deviation } from '../../model/deviation.ts';
import { DEVIATIONS } from '../../simulation/answers.ts';
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

test('docs/deviations.md lists the parameters of the model and the conditions of the simulation; `npm run generate` writes it', async () => {
  const page = 'docs/deviations.md';
  const sources = [...new Set(Object.values<Deviation>(DEVIATIONS).map(({ source }) => source))];
  const made = `# What servers, networks, clocks and people may do

<!-- generated from acceptance-tests/model/parameters.ts and simulation/conditions.ts by \`npm run generate\` -->

Each paragraph lists possible behaviors, what the connector does, and its limits. Headings in quotes cite the API's documentation. The simulation draws its scenarios from these behaviors, and fails if one makes no difference in ${ENOUGH_SEEDS.toLocaleString('en')} seeds.

${sources.map(sectionOf).join('\n\n')}
`;
  await expect(made).toMatchFileSnapshot(join(repository, page));
});

function sectionOf(source: string): string {
  const entries = Object.entries<Deviation>(DEVIATIONS).filter(([, entry]) => entry.source === source);
  const title = `${source.slice(0, 1).toUpperCase()}${source.slice(1)}`;
  return [`## ${title}`, ...entries.map(paragraphOf)].join('\n\n');
}

function paragraphOf([name, { does, limits, answers }]: [string, Deviation]): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const title = `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
  const names = answers.split(' | ').map((answer) => answer.replace(/^\d+ | = .*$/g, ''));
  const note = limits === undefined ? '' : ` **Limit**: ${limits}`;
  const rest = names.length > 12 ? `; and ${names.length - 8} more` : '';
  const shown = rest === '' ? names : names.slice(0, 8);
  return `**${title}**: ${shown.join('; ')}${rest}. ${does}${note}`;
}
