import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentationPage, majorOf, repository } from './versions.ts';
import type { Metadata } from './versions.ts';

/** A version that would be the next release. */
export interface NextRelease {
  /** What breaks, each in words. */
  readonly changes: readonly string[];
  readonly released: string;
  readonly version: string;
  readonly metadata: Pick<Metadata, 'name' | 'releases'>;
}

/** Which rules for breaking changes a version does not keep; each says what to do. Without breaking changes there are none. */
export function rulesFor({ changes, released, version, metadata }: NextRelease): string[] {
  if (changes.length === 0) return [];
  const because = `because of: ${changes.join('; ')}`;
  if (majorOf(version) <= majorOf(released))
    return [`raise the version ${version} to ${majorOf(released) + 1}.0.0, ${because}`];
  const announced = metadata.releases?.breakingChanges?.[version];
  const guide = documentationPage.replace('.md', '-migrations.md');
  const path = join(repository, guide);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const asks = [
    ...((announced?.message ?? '') === '' || (announced?.upgradeDeadline ?? '') === ''
      ? [
          `metadata.yaml: releases.breakingChanges needs ${version} with message and upgradeDeadline, ${because}`,
        ]
      : []),
    ...(text.startsWith(`# ${metadata.name} Migration Guide\n`) &&
    text.includes(`\n## Upgrading to ${version}\n`)
      ? []
      : [`${guide} needs "# ${metadata.name} Migration Guide" and "## Upgrading to ${version}", ${because}`]),
  ];
  return asks;
}
