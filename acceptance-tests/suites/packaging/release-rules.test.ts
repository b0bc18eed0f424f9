import { expect, test } from 'vitest';
import { rulesFor } from './release-rules.ts';

const because = 'because of: config.size was removed';
const guide = 'docs/integrations/sources/trailer-data-migrations.md';
const next = {
  changes: ['config.size was removed'],
  released: '0.1.0',
  version: '1.0.0',
  metadata: { name: 'Trailer Data' },
};

test('without breaking changes any version will do', () => {
  expect(rulesFor({ ...next, changes: [], version: '0.1.0' })).toStrictEqual([]);
});

test.each(['0.1.0', '0.1.1', '0.2.0'])('%s is no new major version', (version) => {
  expect(rulesFor({ ...next, version })).toStrictEqual([`raise the version ${version} to 1.0.0, ${because}`]);
});

test.each([undefined, { breakingChanges: { '1.0.0': { message: 'The key size is gone.' } } }])(
  'a new major version is announced with a deadline, and has a way to migrate: %j',
  (releases) => {
    const metadata = releases === undefined ? next.metadata : { ...next.metadata, releases };
    expect(rulesFor({ ...next, metadata })).toStrictEqual([
      `metadata.yaml: releases.breakingChanges needs 1.0.0 with message and upgradeDeadline, ${because}`,
      `${guide} needs "# Trailer Data Migration Guide", ${because}`,
      `${guide} needs "## Upgrading to 1.0.0", ${because}`,
    ]);
  },
);
