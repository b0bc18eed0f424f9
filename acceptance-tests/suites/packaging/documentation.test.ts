import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { readSpec, bundledStreams, subschemas } from '../conformance/schema.ts';
import { found } from './markdown.ts';
import { compareVersions, documentationPage, metadataOf, packageOf, repository, textOf } from './versions.ts';

const { name, documentationUrl, icon } = metadataOf();
const page = textOf(documentationPage);
const { connectionSpecification: form } = readSpec();

/** The headings of the platform's template, in its order, without those for its cloud, which lacks the image. */
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

function section(heading: string): string {
  return page.split(`${heading}\n`)[1]?.split(/^#/m)[0] ?? '';
}

test('the page has the headings of the template, in its order, each with a text', () => {
  expect(page.split('\n').filter((line) => /^#{1,4} /.test(line))).toStrictEqual(headings);
  const empty = headings.filter((heading) => section(heading).trim() === '');
  // the two following sections have the steps
  expect(empty).toStrictEqual(['## Setup guide', `## Set up the ${name} connector in Airbyte`]);
  expect(section('## Changelog')).toMatch(
    /^\n<details>\n {2}<summary>Expand to review<\/summary>\n\n\| Version \| Date +\| Pull Request \| Subject +\|\n/,
  );
});

test('the page names each required key, and only existing fields of the form', () => {
  const { required = [], properties = {} } = form;
  for (const key of required) expect(section('## Prerequisites')).toContain(`**${properties[key]?.title}**`);
  const titles = [...subschemas(form).map(({ schema }) => schema), ...(form.groups ?? [])];
  const named = found(page, /\*\*([^*]+)\*\*/g);
  expect(titles.map(({ title }) => title)).toStrictEqual(expect.arrayContaining(named));
});

test.each(bundledStreams())('every place that lists the streams has %s', (stream) => {
  const { suggestedStreams, allowedHosts } = metadataOf();
  expect(suggestedStreams.streams).toContain(stream);
  if (stream in (form.properties ?? {})) expect(allowedHosts.hosts).toContain(`\${${stream}.base_url}`);
  expect(section('## Supported Streams')).toMatch(
    RegExp(`^\\| \`${stream}\` +\\| \`GET /v1/${stream}\` `, 'm'),
  );
  expect(textOf('docs/api.md')).toContain(`/v1/${stream}\``);
  expect(textOf('README.md')).toContain(`**${stream}**`);
});

test('metadata.yaml links the page and a square icon', () => {
  expect(basename(documentationUrl)).toBe(basename(documentationPage, '.md'));
  expect(readSpec().documentationUrl).toBe(documentationUrl);
  expect(existsSync(join(repository, icon))).toBe(true);
  expect(textOf(icon)).toMatch(/<svg [^>]*width="(\d+)" height="\1" viewBox="0 0 \1 \1"/);
});

test('the semantic version in package.json is the same everywhere', () => {
  const { name: repositoryName, version } = packageOf();
  expect(version).toMatch(/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/);
  expect(JSON.parse(textOf('package-lock.json'))).toMatchObject({ version, packages: { '': { version } } });
  expect(metadataOf()).toMatchObject({ dockerRepository: repositoryName, dockerImageTag: version });
  const dockerfile = textOf('Dockerfile');
  // its default becomes the label
  expect(/^ARG VERSION=(\S+)$/m.exec(dockerfile)?.[1]).toBe(version);
  expect(dockerfile).toContain(`io.airbyte.name="${repositoryName}" io.airbyte.version="\${VERSION}"`);
});

test('both changelogs have the same versions, newest first', () => {
  const ours = found(textOf('CHANGELOG.md'), /^## (\d+\.\d+\.\d+) – \d{4}-\d\d-\d\d$/gm);
  expect(ours).toStrictEqual(found(section('## Changelog'), /^\| (\d+\.\d+\.\d+) +\|/gm));
  expect(ours[0]).toBe(packageOf().version);
  expect(ours).toStrictEqual([...new Set(ours)].toSorted((a, b) => compareVersions(b, a)));
});
