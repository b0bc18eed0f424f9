import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSpec } from '../conformance/schema.ts';
import { documentationPage, metadataOf, repository, textOf } from './versions.ts';

const { name, documentationUrl, icon } = metadataOf();
const page = textOf(documentationPage);

/** The headings of the platform's template, in its order. Those for its cloud are left out: the image is not there. */
const headings = [
  `# ${name}`,
  '## Prerequisites',
  '## Setup guide',
  `## Set up ${name}`,
  `## Set up the ${name} connector in Airbyte`,
  '### For Airbyte Open Source:',
  '## Supported sync modes',
  '## Supported Streams',
  '### Performance considerations',
  '## Data type map',
  '## Limitations & Troubleshooting',
  '### Tutorials',
  '## Changelog',
];

/** What stands below a heading, up to the next one. */
function section(heading: string): string {
  return page.split(`${heading}\n`)[1]?.split(/^#/m)[0] ?? '';
}

test('the page has the headings of the template, in its order', () => {
  expect(page.split('\n').filter((line) => /^#{1,4} /.test(line))).toStrictEqual(headings);
});

test('each section says something', () => {
  const empty = headings.filter((heading) => section(heading).trim() === '');
  // its steps are those of the two sections that follow
  expect(empty).toStrictEqual(['## Setup guide', `## Set up the ${name} connector in Airbyte`]);
});

test('the prerequisites name every key that is required', () => {
  const { required = [], properties = {} } = readSpec().connectionSpecification;
  const titles = required.map((key) => properties[key]?.title ?? key);
  expect(titles.filter((title) => !section('## Prerequisites').includes(`**${title}**`))).toStrictEqual([]);
});

test('what the page calls a field of the form is one', () => {
  const titles = new Set(
    [...JSON.stringify(readSpec()).matchAll(/"title":"([^"]+)"/g)].map((found) => found[1]),
  );
  const named = [...page.matchAll(/\*\*([^*]+)\*\*/g)].map((found) => found[1]);
  expect(named.filter((words) => !titles.has(words))).toStrictEqual([]);
});

test('the changelog is folded up, with the columns of the template', () => {
  expect(section('## Changelog')).toMatch(
    /^\n<details>\n {2}<summary>Expand to review<\/summary>\n\n\| Version \| Date +\| Pull Request \| Subject +\|\n/,
  );
});

test('metadata.yaml leads to the page and to the icon, which is a square', () => {
  expect(documentationUrl.split('/').at(-1)).toBe(documentationPage.split('/').at(-1)?.replace('.md', ''));
  expect(existsSync(join(repository, icon))).toBe(true);
  const [, width, height] =
    /<svg [^>]*width="(\d+)" height="(\d+)" viewBox="0 0 \1 \2"/.exec(textOf(icon)) ?? [];
  expect(width).toBeDefined();
  expect(width).toBe(height);
});
