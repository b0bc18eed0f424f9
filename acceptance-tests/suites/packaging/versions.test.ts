import { expect, test } from 'vitest';
import { compareVersions, documentationPage, metadataOf, packageOf, textOf } from './versions.ts';

const { name, version } = packageOf();

test('the version stands in package.json, a semantic one; what else shows it agrees', () => {
  expect(version).toMatch(/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/);
  const lock = JSON.parse(textOf('package-lock.json')) as {
    version: string;
    packages: Record<string, { version: string }>;
  };
  expect([lock.version, lock.packages['']?.version]).toStrictEqual([version, version]);
  expect(metadataOf()).toMatchObject({ dockerRepository: name, dockerImageTag: version });
  const dockerfile = textOf('Dockerfile');
  // its default becomes the label
  expect(/^ARG VERSION=(\S+)$/m.exec(dockerfile)?.[1]).toBe(version);
  expect(dockerfile).toContain(`io.airbyte.name="${name}" io.airbyte.version="\${VERSION}"`);
});

test('both changelogs have the same versions, the newest on top and each once', () => {
  const ours = [...textOf('CHANGELOG.md').matchAll(/^## (\d+\.\d+\.\d+) – \d{4}-\d\d-\d\d$/gm)];
  const page = textOf(documentationPage).split('## Changelog')[1] ?? '';
  const versions = [...page.matchAll(/^\| (\d+\.\d+\.\d+) +\|/gm)].map(([, found = '']) => found);
  expect(ours.map(([, found]) => found)).toStrictEqual(versions);
  expect(versions[0]).toBe(version);
  expect(versions).toStrictEqual([...new Set(versions)].toSorted((a, b) => compareVersions(b, a)));
});
