import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Deviation } from '../../model/deviation.ts';
import { DEVIATIONS } from '../../simulation/answers.ts';
import { anchorsOf, found, linksOf, pages } from './markdown.ts';
import { packageOf, repository, textOf } from './versions.ts';

const { name, version, scripts, dependencies } = packageOf();
const contributing = textOf('CONTRIBUTING.md');
const deployed = readdirSync(join(repository, 'deploy'))
  .filter((file) => !file.endsWith('.ts'))
  .map((file) => `deploy/${file}`);

test('each relative link leads to a file, and to a heading in it', () => {
  const broken = pages().flatMap((page) =>
    linksOf(page)
      .filter((link) => !/^(https?:|mailto:)/.test(link) && !isThere(page, link))
      .map((link) => `${page}: ${link}`),
  );
  expect(broken).toStrictEqual([]);
});

function isThere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? page : join(dirname(page), path);
  if (file.startsWith('..') || !existsSync(join(repository, file))) return false;
  return anchor === undefined || anchorsOf(file).includes(anchor);
}

test('each page of docs can be reached from the README', () => {
  const reached = new Set(['README.md']);
  for (const page of reached)
    for (const link of linksOf(page)) {
      const file = join(dirname(page), link.split('#')[0] ?? '');
      if (pages().includes(file)) reached.add(file);
    }
  expect(pages().filter((page) => !reached.has(page))).toStrictEqual([]);
});

test('each npm script that a page names exists', () => {
  const named = pages().flatMap((page) => found(textOf(page), /\bnpm run (?:--silent )?([\w:]+)/g));
  expect(named.filter((script) => !(script in scripts))).toStrictEqual([]);
});

test('the layout in CONTRIBUTING has the folders of src, each once', () => {
  const layout = /^src\/ .*\n((?: {2}.*\n)+)/m.exec(contributing)?.[1] ?? '';
  const src = readdirSync(join(repository, 'src'), { withFileTypes: true });
  const folders = src.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  expect(found(layout, /^ {2}(\w+)\/ /gm).toSorted()).toStrictEqual(folders.toSorted());
});

test('each file that docs/code-tour.md names exists', () => {
  const named = found(textOf('docs/code-tour.md'), /`([\w/.-]+\.(?:ts|json))`/g);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((file) => !existsSync(join(repository, 'src', file)))).toStrictEqual([]);
});

test('docs/deviations.md has a section for each thing that the simulation does', () => {
  const simulated = Object.values<Deviation>(DEVIATIONS).map(({ section }) => section);
  const sections = found(textOf('docs/deviations.md'), /^### (.+)$/gm);
  expect(simulated.filter((section) => !sections.includes(section))).toStrictEqual([]);
});

test('docs/properties.md names the file that tests each property', () => {
  const rows = [...textOf('docs/properties.md').matchAll(/^\| (P\d+) .* `(src\/\S+)` /gm)];
  expect(rows).toHaveLength(11);
  const untested = rows.filter(([, label, file = '']) => !RegExp(`\\('.*\\b${label}\\b`).test(textOf(file)));
  expect(untested).toStrictEqual([]);
});

test('CONTRIBUTING gives a reason for each production dependency', () => {
  const table = contributing.split('\n## Dependencies\n')[1]?.split('\n## ')[0] ?? '';
  expect(found(table, /^\| `([\w-]+)` /gm)).toStrictEqual(Object.keys(dependencies));
});

test('images in deploy and docs have the version of the package', () => {
  const tag = new RegExp(`${name}:(\\d[\\w.]*\\d)`, 'g');
  const tags = [...deployed, ...pages()].flatMap((file) => found(textOf(file), tag));
  expect(new Set(tags)).toStrictEqual(new Set([version]));
});

test('the manifests of deploy are valid YAML, and mount the volume that they declare', () => {
  const manifests = deployed.filter((file) => file.endsWith('.yaml')).map(textOf);
  const documents = manifests.flatMap((text) => parseAllDocuments(text));
  expect(documents.flatMap(({ errors }) => errors)).toStrictEqual([]);
  const claims = manifests.flatMap((text) => found(text, /claimName: (\S+) \}/g));
  expect(new Set(claims)).toStrictEqual(new Set(['trailer-data']));
  const volume = 'kind: PersistentVolumeClaim\nmetadata:\n  name: trailer-data\n';
  expect(textOf('deploy/volume.yaml')).toContain(volume);
});

test('the pages name each file of deploy', () => {
  const named = pages().flatMap((page) => textOf(page).match(/\bdeploy\/[\w-]+\.\w+/g) ?? []);
  expect(new Set(named)).toStrictEqual(new Set(deployed));
});

test('no page, script or manifest refers to a document outside the repository', () => {
  const elsewhere = /API document \d|design\.md|structure\.md|research\/|\/work\/|\/tmp\/|section \d/i;
  const schemas = readdirSync(join(repository, 'schemas')).map((file) => `schemas/${file}`);
  const files = [...pages(), ...deployed, ...schemas, 'spec.json', 'metadata.yaml', 'Dockerfile'];
  expect(files.filter((file) => elsewhere.test(textOf(file)))).toStrictEqual([]);
});

test('messages quoted in the pages exist in the program', () => {
  const program = readdirSync(join(repository, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(test|fake|test-support|generated)\.ts$/.test(file))
    .map((file) => textOf(join('src', file)))
    .join('\n')
    .replaceAll(/['`] \+\s+['`]/g, '');
  const quoting = ['docs/errors.md', 'docs/tokens.md', 'docs/integrations/sources/trailer-data.md'];
  const quoted = quoting
    .flatMap((page) => found(textOf(page), /"([a-z][^"`|]{14,})"/g))
    .map((words) => words.split(/[(…]/)[0]?.trim() ?? '');
  expect(quoted.length).toBeGreaterThan(4);
  expect(quoted.filter((words) => !program.includes(words))).toStrictEqual([]);
});
