import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { documentationPage, repository, textOf } from './versions.ts';
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
  const major = Number.parseInt(released, 10) + 1;
  if (Number.parseInt(version, 10) < major)
    return [`raise the version ${version} to ${major}.0.0, ${because}`];

  const { message = '', upgradeDeadline = '' } = metadata.releases?.breakingChanges?.[version] ?? {};
  const announcement = `releases.breakingChanges needs ${version} with message and upgradeDeadline`;
  const guide = documentationPage.replace('.md', '-migrations.md');
  const headings = [`# ${metadata.name} Migration Guide`, `## Upgrading to ${version}`];
  const lines = existsSync(join(repository, guide)) ? textOf(guide).split('\n') : [];
  return [
    ...(message === '' || upgradeDeadline === '' ? [`metadata.yaml: ${announcement}, ${because}`] : []),
    ...headings
      .filter((heading) => !lines.includes(heading))
      .map((heading) => `${guide} needs "${heading}", ${because}`),
  ];
}
