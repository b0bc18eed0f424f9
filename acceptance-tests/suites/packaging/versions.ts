import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** The root of the repository. */
export const repository = join(import.meta.dirname, '../../..');

/** The connector's page, at the path that the platform requires. */
export const documentationPage = 'docs/integrations/sources/trailer-data.md';

/** `data` of metadata.yaml, as far as the tests look at it. */
export interface Metadata {
  readonly name: string;
  readonly documentationUrl: string;
  readonly icon: string;
  readonly allowedHosts: { readonly hosts: readonly string[] };
  readonly suggestedStreams: { readonly streams: readonly string[] };
  readonly releases?: {
    readonly breakingChanges?: Readonly<Record<string, { message?: string; upgradeDeadline?: string }>>;
  };
}

/** The text of a file of the repository. */
export const textOf = (path: string): string => readFileSync(join(repository, path), 'utf8');

/** The connector's package, where its name and version stand. */
export const packageOf = () =>
  JSON.parse(textOf('package.json')) as {
    readonly name: string;
    readonly version: string;
    readonly scripts: Readonly<Record<string, string>>;
    readonly dependencies: Readonly<Record<string, string>>;
  };

export const metadataOf = (): Metadata => (parse(textOf('metadata.yaml')) as { data: Metadata }).data;

/** Below 0 if the version `a` comes before `b`, 0 if they are the same. */
export const compareVersions = new Intl.Collator('en', { numeric: true }).compare;

/** The spec, and the schemas of states by kind of list, of this version. */
export const formsOf = () => ({
  spec: JSON.parse(textOf('spec.json')) as object,
  states: {
    'lists by offset': JSON.parse(textOf('src/streams/offset-state.schema.json')) as object,
    'lists by cursor': JSON.parse(textOf('src/streams/cursor-state.schema.json')) as object,
  },
});
