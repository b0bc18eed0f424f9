import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { program } from '../../support/program.ts';
import { packageOf, textOf } from '../../suites/packaging/versions.ts';
import { canRunImages, engine, image, printed, tool } from './image.ts';

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

async function inspect(name: string): Promise<Inspected> {
  return (JSON.parse(await engine('image', 'inspect', name)) as [Inspected])[0];
}

function shellInImage(command: string): Promise<string> {
  return printed(tool, ['run', '--entrypoint', 'sh', image, '-c', command]);
}

test.runIf(canRunImages)('labels, entry points, user and variables are as platforms want them', async () => {
  const { name, version } = packageOf();
  const [own, onto] = [await inspect(local), await inspect(base)];
  const { Labels, User, Env, Entrypoint } = own.Config;
  expect(Labels).toMatchObject({ 'io.airbyte.name': name, 'io.airbyte.version': version });
  expect(User).toBe('1000:1000');
  // no secret comes in as a variable: these are all
  expect(Env.filter((variable) => !onto.Config.Env.includes(variable)).toSorted()).toStrictEqual([
    `AIRBYTE_ENTRYPOINT=${Entrypoint.join(' ')}`,
    'NODE_ENV=production',
    'SOURCE_TRAILER_DATA_CACHE=/cache',
  ]);
  expect(Entrypoint[0]).toMatch(/^\//);
  const called =
    'for program in sh mv sleep cat mkfifo rm; do command -v $program > /dev/null || echo $program; done';
  expect(await shellInImage(called), 'programs that the wrapper of a pod calls').toBe('');
  expect(own.Size - onto.Size).toBeLessThan(2_000_000);
});

test.runIf(canRunImages)(
  'it holds the bundle of these very sources and a place for tokens alone',
  async () => {
    const bundle = dirname(program);
    const difference = await engine('diff', '--format', 'json', local, base);
    const { added, deleted = [] } = JSON.parse(difference) as { added: string[]; deleted?: string[] };
    const files = (await readdir(bundle)).map((name) => `/airbyte/dist/${name}`);
    const own = ['/airbyte', '/airbyte/dist', '/airbyte/package.json', '/cache', ...files];
    expect(added.toSorted()).toStrictEqual(own.toSorted());
    expect(deleted).toStrictEqual([]);
    const digests = 'LC_ALL=C sha256sum *';
    expect(await shellInImage(`cd /airbyte/dist && ${digests}`)).toBe(
      await printed('sh', ['-c', `cd ${bundle} && ${digests}`]),
    );
    expect(await shellInImage('find /airbyte -writable'), 'what it could change of itself').toBe('');
  },
);
