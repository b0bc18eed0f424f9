import { expect, test } from 'vitest';
import { rulesFor } from './release-rules.ts';
import type { NextRelease } from './release-rules.ts';

const change = 'config.size: the key was removed';
const next: NextRelease = {
  changes: [change],
  released: '0.1.0',
  version: '1.0.0',
  metadata: { name: 'Trailer Data' },
};

test('without breaking changes any version will do', () => {
  expect(rulesFor({ ...next, changes: [], version: '0.1.0' })).toStrictEqual([]);
});

test.each(['0.1.0', '0.1.1', '0.2.0'])('%s is no new major version', (version) => {
  expect(rulesFor({ ...next, version })).toStrictEqual([
    `raise the version ${version} to 1.0.0, because of: ${change}`,
  ]);
});

test('a new major version is announced, with a way to migrate', () => {
  expect(rulesFor(next)).toStrictEqual([
    `metadata.yaml: releases.breakingChanges needs 1.0.0 with message and upgradeDeadline, because of: ${change}`,
    `docs/integrations/sources/trailer-data-migrations.md needs "# Trailer Data Migration Guide" and ` +
      `"## Upgrading to 1.0.0", because of: ${change}`,
  ]);
});

test('an announcement without a deadline does not do', () => {
  const releases = { breakingChanges: { '1.0.0': { message: 'The key size is gone.' } } };
  const [first] = rulesFor({ ...next, metadata: { ...next.metadata, releases } });
  expect(first).toContain('needs 1.0.0 with message and upgradeDeadline');
});
