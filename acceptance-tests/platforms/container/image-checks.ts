import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deepStrictEqual, ok } from 'node:assert/strict';
import { program } from '../../support/program.ts';
import { packageOf, textOf } from '../../suites/packaging/versions.ts';
import { engine, image, shellInImage } from './container-tool.ts';

/** bytes that the connector may add to the image that it is built on */
const mostBytes = 2_000_000;

const local = `localhost/${image}`;
/** The image that the last FROM of the Dockerfile names. */
const base = `docker.io/library/${[...textOf('Dockerfile').matchAll(/^FROM\s+(\S+)/gm)].at(-1)?.[1]}`;

interface Inspected {
  readonly Size: number;
  readonly Config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Entrypoint: readonly string[];
    readonly Labels: Readonly<Record<string, string>>;
  };
}

const inspect = async (name: string): Promise<Inspected> =>
  (JSON.parse(await engine('image', 'inspect', name)) as [Inspected])[0];

/** Labels as name and version stand in package.json; entry points, user and variables as platforms want them. */
export async function checkConfiguration(): Promise<string> {
  const { name, version } = packageOf();
  const [{ Config: config, Size: size }, onto] = [await inspect(local), await inspect(base)];
  const { 'io.airbyte.name': labelledName, 'io.airbyte.version': labelledVersion } = config.Labels;
  deepStrictEqual([labelledName, labelledVersion, config.User], [name, version, '1000:1000']);
  const own = config.Env.filter((variable) => !onto.Config.Env.includes(variable));
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
  ok(size - onto.Size < mostBytes, `${size - onto.Size} bytes on top of the base image`);
  return `${name} ${version}, ${((size - onto.Size) / 1e6).toFixed(2)} MB on top of ${onto.Size / 1e6} MB`;
}

/** The image holds the bundle of these very sources, package.json and a place for tokens, and nothing else of ours. */
export async function checkContent(): Promise<string> {
  const difference = JSON.parse(await engine('diff', '--format', 'json', local, base)) as {
    added?: string[];
    deleted?: string[];
  };
  const bundle = dirname(program);
  const names = await readdir(bundle);
  const files = names.map((name) => `/airbyte/dist/${name}`);
  deepStrictEqual(
    [difference.added?.toSorted(), difference.deleted ?? []],
    [['/airbyte', '/airbyte/dist', '/airbyte/package.json', '/cache', ...files].toSorted(), []],
  );
  const wanted = names.map(async (name) => {
    const digest = createHash('sha256').update(await readFile(join(bundle, name)));
    return `${digest.digest('hex')}  ${name}`;
  });
  const found = (await shellInImage('cd /airbyte/dist && sha256sum *')).trim().split('\n');
  deepStrictEqual(new Set(found), new Set(await Promise.all(wanted)), 'the bundle, and one built here');
  deepStrictEqual(await shellInImage('find /airbyte -writable'), '', 'what it could change of itself');
  return `${names.length} files of the bundle, each as built here`;
}
