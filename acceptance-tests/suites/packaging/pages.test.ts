import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { anchorsOf, commandsOf, linksOf, pages } from './markdown.ts';
import { packageOf, repository, textOf } from './versions.ts';

/** Words of a page at most, as `wc -w` counts them. */
const MOST_WORDS = { 'README.md': 1500, others: 1200 };

const wordsOf = (page: string): number => textOf(page).split(/\s+/).filter(Boolean).length;

test('each page is short', () => {
  const tooLong = pages().filter(
    (page) => wordsOf(page) > (page === 'README.md' ? MOST_WORDS['README.md'] : MOST_WORDS.others),
  );
  expect(tooLong.map((page) => `${page}: ${wordsOf(page)} words`)).toStrictEqual([]);
});

test('each relative link leads to a file of the repository, and to a heading of it', () => {
  const broken = pages().flatMap((page) =>
    linksOf(textOf(page))
      .filter((target) => !/^(https?:|mailto:)/.test(target) && !isThere(page, target))
      .map((target) => `${page}: ${target}`),
  );
  expect(broken).toStrictEqual([]);
});

function isThere(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : normalize(join(dirname(page), path));
  if (file.startsWith('..') || !existsSync(join(repository, file))) return false;
  return anchor === undefined || anchorsOf(textOf(file)).includes(anchor);
}

test('each page of docs can be reached from the README', () => {
  const reached = new Set<string>(['README.md']);
  for (const page of reached)
    for (const target of linksOf(textOf(page))) {
      const file = normalize(join(dirname(page), target.split('#')[0] ?? ''));
      if (file.endsWith('.md') && existsSync(join(repository, file))) reached.add(file);
    }
  expect(pages().filter((page) => !reached.has(page))).toStrictEqual([]);
});

test('each npm script that a page names is there', () => {
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
  const named = pages().flatMap((page) =>
    [...textOf(page).matchAll(/\bnpm run (?:--silent )?([\w:]+)/g)].map(([, script]) => script ?? ''),
  );
  expect(named.filter((script) => !(script in scripts))).toStrictEqual([]);
});

test('the layout in CONTRIBUTING has the folders of src, each once', () => {
  const layout = /^src\/ .*\n((?: {2}.*\n)+)/m.exec(textOf('CONTRIBUTING.md'))?.[1] ?? '';
  const told = [...layout.matchAll(/^ {2}(\w+)\/ /gm)].map(([, folder]) => folder);
  const src = join(repository, 'src');
  const folders = readdirSync(src).filter((name) => statSync(join(src, name)).isDirectory());
  expect(new Set(told)).toStrictEqual(new Set(folders));
  expect(told).toHaveLength(folders.length);
});

test('CONTRIBUTING says why of each package that ships, and of no other', () => {
  const { dependencies } = JSON.parse(textOf('package.json')) as { dependencies: Record<string, string> };
  const table = textOf('CONTRIBUTING.md').split('\n## Dependencies\n')[1]?.split('\n## ')[0] ?? '';
  const told = [...table.matchAll(/^\| `([\w-]+)` /gm)].map(([, name]) => name);
  expect(told).toStrictEqual(Object.keys(dependencies));
});

test('what deploy and the docs run has the version of the package, and deploy mounts the volume that it makes', () => {
  const { name, version } = packageOf();
  const files = readdirSync(join(repository, 'deploy')).map((file) => `deploy/${file}`);
  const tags = [...files, ...pages()].flatMap((file) =>
    [...textOf(file).matchAll(new RegExp(`${name}:(\\d[\\w.]*\\d)`, 'g'))].map(([, tag]) => tag),
  );
  expect(new Set(tags)).toStrictEqual(new Set([version]));
  const manifests = files.filter((file) => file.endsWith('.yaml')).map(textOf);
  for (const manifest of manifests)
    for (const document of parseAllDocuments(manifest)) expect(document.errors).toStrictEqual([]);
  const claims = manifests.flatMap((text) => [...text.matchAll(/claimName: (\S+) \}/g)]);
  expect(new Set(claims.map(([, claim]) => claim))).toStrictEqual(new Set(['trailer-data']));
  expect(textOf('deploy/volume.yaml')).toMatch(
    /kind: PersistentVolumeClaim\nmetadata:\n {2}name: trailer-data\n/,
  );
});

test('the files that kubectl is given in docs/deploying.md are those of deploy', () => {
  const named = commandsOf('docs/deploying.md').flatMap((command) => command.match(/deploy\/[\w.-]+/g) ?? []);
  expect(new Set(named)).toStrictEqual(
    new Set(['deploy/volume.yaml', 'deploy/cronjob.yaml', 'deploy/past-job.yaml', 'deploy/ranges.sh']),
  );
});

test('no page, script or manifest refers to a document that is not in the repository', () => {
  const elsewhere = /API document \d|design\.md|structure\.md|research\/|\/work\/|\/tmp\/|section \d/i;
  const files = [
    ...pages(),
    ...readdirSync(join(repository, 'deploy')).map((file) => `deploy/${file}`),
    'spec.json',
    'schemas/assets.json',
    'schemas/alarms.json',
    'metadata.yaml',
    'Dockerfile',
  ];
  expect(files.filter((file) => elsewhere.test(textOf(file)))).toStrictEqual([]);
});

test('messages that the pages quote are those of the program', () => {
  const src = join(repository, 'src');
  const program = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(test|fake|test-support|generated)\.ts$/.test(file))
    .map((file) => textOf(join('src', file)))
    .join('\n')
    .replaceAll(/['`] \+\s+['`]/g, '');
  const quoted = ['docs/errors.md', 'docs/tokens.md', 'docs/integrations/sources/trailer-data.md'].flatMap(
    (page) =>
      [...textOf(page).matchAll(/"([a-z][^"`|]{14,})"/g)].map(
        ([, words = '']) => words.split(/[(…]/)[0]?.trim() ?? '',
      ),
  );
  expect(quoted.length).toBeGreaterThan(4);
  expect(quoted.filter((words) => !program.includes(words))).toStrictEqual([]);
});
