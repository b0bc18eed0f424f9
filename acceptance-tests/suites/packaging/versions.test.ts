import { describe, expect, test } from 'vitest';
import { changelogVersions, compareVersions, metadataOf, packageOf, textOf } from './versions.ts';

const { name, version } = packageOf();

describe('the version stands in package.json; what else shows it agrees', () => {
  test('it is a semantic version', () => {
    expect(version).toMatch(/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/);
  });

  test('package-lock.json', () => {
    const lock = JSON.parse(textOf('package-lock.json')) as {
      version: string;
      packages: Record<string, { version: string }>;
    };
    expect([lock.version, lock.packages['']?.version]).toStrictEqual([version, version]);
  });

  test('metadata.yaml', () => {
    const { dockerRepository, dockerImageTag } = metadataOf();
    expect({ dockerRepository, dockerImageTag }).toStrictEqual({
      dockerRepository: name,
      dockerImageTag: version,
    });
  });

  test('Dockerfile: the default of VERSION, which becomes the label', () => {
    const dockerfile = textOf('Dockerfile');
    expect(/^ARG VERSION=(\S+)$/m.exec(dockerfile)?.[1]).toBe(version);
    expect(dockerfile).toContain(`io.airbyte.name="${name}" io.airbyte.version="\${VERSION}"`);
  });

  test('CHANGELOG.md: its newest entry, and the versions of the page for the platform', () => {
    const versions = [...textOf('CHANGELOG.md').matchAll(/^## (\d+\.\d+\.\d+) – \d{4}-\d\d-\d\d$/gm)];
    expect(versions.map(([, found]) => found)).toStrictEqual(changelogVersions());
  });

  test('changelog: its newest entry, above all others', () => {
    const versions = changelogVersions();
    expect(versions[0]).toBe(version);
    expect(versions).toStrictEqual(versions.toSorted((a, b) => compareVersions(b, a)));
    expect(new Set(versions).size).toBe(versions.length);
  });
});

test.each([
  ['0.1.0', '0.1.0', 0],
  ['0.9.0', '0.10.0', -1],
  ['1.0.0', '0.99.99', 1],
  ['2.1.3', '2.1.1', 1],
])('%s against %s', (a, b, sign) => {
  expect(Math.sign(compareVersions(a, b))).toBe(sign);
});
