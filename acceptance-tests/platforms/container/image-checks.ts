import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deepStrictEqual, ok } from 'node:assert/strict';
import { program } from '../../support/program.ts';
import { engine, image, shellInImage } from './container-tool.ts';

/** bytes that the connector may add to the image that it is built on */
const mostBytes = 2_000_000;

const repository = join(import.meta.dirname, '../../..');
const local = `localhost/${image}`;

interface Inspected {
  readonly Size: number;
  readonly Config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Entrypoint: readonly string[];
    readonly Labels: Readonly<Record<string, string>>;
  };
}

/** Labels as name and version stand in package.json; entry points, user and variables as platforms want them. */
export async function checkConfiguration(): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
  };
  const { Config: config } = await inspect(local);
  const base = await inspect(await baseName());
  const { 'io.airbyte.name': labelledName, 'io.airbyte.version': labelledVersion } = config.Labels;
  deepStrictEqual({ labelledName, labelledVersion }, { labelledName: name, labelledVersion: version });
  deepStrictEqual(config.User, '1000:1000');
  const own = config.Env.filter((variable) => !base.Config.Env.includes(variable));
  // no secret comes in as a variable: these are all
  deepStrictEqual(own.toSorted(), [
    `AIRBYTE_ENTRYPOINT=${config.Entrypoint.join(' ')}`,
    'NODE_ENV=production',
    'SOURCE_TRAILER_DATA_CACHE=/cache',
  ]);
  ok(config.Entrypoint[0]?.startsWith('/'), 'the entry point is not absolute');
  const missing = await shellInImage(
    'for program in sh mv sleep cat mkfifo rm; do command -v $program > /dev/null || echo $program; done',
  );
  deepStrictEqual(missing, '', 'programs that the wrapper of a pod calls');
  return `${name} ${version}`;
}

/** The image holds the bundle of these very sources, package.json and a place for tokens, and nothing else of ours. */
export async function checkContent(): Promise<string> {
  const { added = [], deleted = [] } = JSON.parse(
    await engine('diff', '--format', 'json', local, await baseName()),
  ) as { added?: string[]; deleted?: string[] };
  const bundle = dirname(program);
  const names = await readdir(bundle);
  const expected = ['/airbyte', '/airbyte/dist', '/airbyte/package.json', '/cache'];
  deepStrictEqual(
    { added: added.toSorted(), deleted },
    { added: [...expected, ...names.map((name) => `/airbyte/dist/${name}`)].toSorted(), deleted: [] },
  );
  const wanted = await Promise.all(
    names.map(async (name) => `${sha256(await readFile(join(bundle, name)))}  ${name}`),
  );
  const found = (await shellInImage('cd /airbyte/dist && sha256sum *')).trim().split('\n');
  deepStrictEqual(found.toSorted(), wanted.toSorted(), 'the bundle in the image, and one built here');
  deepStrictEqual(
    await shellInImage('find /airbyte -writable'),
    '',
    'what the connector could change of itself',
  );
  return `${names.length} files of the bundle, each as built here`;
}

/** What the connector adds to the image that it is built on is small. */
export async function checkSize(): Promise<string> {
  const [whole, base] = await Promise.all([inspect(local), inspect(await baseName())]);
  const own = whole.Size - base.Size;
  ok(own < mostBytes, `${own} bytes on top of the base image`);
  return `${(own / 1e6).toFixed(2)} MB on top of ${(base.Size / 1e6).toFixed(0)} MB`;
}

async function inspect(name: string): Promise<Inspected> {
  const [found] = JSON.parse(await engine('image', 'inspect', name)) as [Inspected];
  return found;
}

/** The image that the last FROM of the Dockerfile names. */
async function baseName(): Promise<string> {
  const dockerfile = await readFile(join(repository, 'Dockerfile'), 'utf8');
  const name = [...dockerfile.matchAll(/^FROM\s+(\S+)/gm)].at(-1)?.[1];
  ok(name !== undefined, 'the Dockerfile has no FROM');
  return `docker.io/library/${name}`;
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
