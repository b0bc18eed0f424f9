import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** The top of the repository. */
export const repository = join(import.meta.dirname, '../../..');

/** The page of the documentation, where the platform's convention wants it. */
export const documentationPage = 'docs/integrations/sources/trailer-data.md';

/** A breaking change as metadata.yaml announces it. */
export interface AnnouncedChange {
  readonly message?: string;
  readonly upgradeDeadline?: string;
}

/** `data` of metadata.yaml, as far as the tests look at it. */
export interface Metadata {
  readonly name: string;
  readonly dockerRepository: string;
  readonly dockerImageTag: string;
  readonly documentationUrl: string;
  readonly icon: string;
  readonly suggestedStreams: { readonly streams: readonly string[] };
  readonly releases?: { readonly breakingChanges?: Readonly<Record<string, AnnouncedChange>> };
}

/** The text of a file of the repository. */
export function textOf(path: string): string {
  return readFileSync(join(repository, path), 'utf8');
}

/** Name and version of the connector, from the one place where they stand. */
export function packageOf(): { readonly name: string; readonly version: string } {
  return JSON.parse(textOf('package.json')) as { name: string; version: string };
}

/** `data` of metadata.yaml. */
export function metadataOf(): Metadata {
  return (parse(textOf('metadata.yaml')) as { data: Metadata }).data;
}

/** The versions in the changelog of the documentation page, newest first as they stand there. */
export function changelogVersions(): string[] {
  const changelog = textOf(documentationPage).split('## Changelog')[1] ?? '';
  return [...changelog.matchAll(/^\| (\d+\.\d+\.\d+) +\|/gm)].map((found) => found[1] ?? '');
}

/** The first number of a semantic version. */
export function majorOf(version: string): number {
  return Number(version.split('.')[0]);
}

/** Below 0 if the semantic version `a` comes before `b`, 0 if they are the same. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  return [0, 1, 2].map((part) => (left?.[part] ?? 0) - (right?.[part] ?? 0)).find((sign) => sign !== 0) ?? 0;
}
