import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { program } from '../../support/program.ts';
import { packageOf, textOf } from '../../suites/packaging/versions.ts';
import { canRunImages, engine, image, printed, tool } from './image.ts';

const local = `localhost/${image}`;
/** The image that the last FROM of the Dockerfile names. */
const base = `docker.io/library/${[...textOf('Dockerfile').matchAll(/^FROM\s+(\S+)/gm)].at(-1)?.[1]}`;

const digests = 'LC_ALL=C sha256sum *';

async function inspect(name: string) {
  const [{ Size, Config }] = JSON.parse(await engine('image', 'inspect', name)) as [
    { Size: number; Config: { User: string; Env: string[]; Entrypoint: string[]; Labels: object } },
  ];
  return { Size, ...Config };
}

function shellInImage(command: string): Promise<string> {
  return printed(tool, ['run', '--entrypoint', 'sh', image, '-c', command]);
}

describe.runIf(canRunImages)('the image', () => {
  test('labels, entry points, user and variables are as platforms want them', async () => {
    const { name, version } = packageOf();
    const [own, onto] = [await inspect(local), await inspect(base)];
    expect(own.Labels).toMatchObject({ 'io.airbyte.name': name, 'io.airbyte.version': version });
    expect(own.User).toBe('1000:1000');
    // no secret comes in as a variable: these are all
    expect(own.Env.filter((variable) => !onto.Env.includes(variable)).toSorted()).toStrictEqual([
      `AIRBYTE_ENTRYPOINT=${own.Entrypoint.join(' ')}`,
      'NODE_ENV=production',
      'SOURCE_TRAILER_DATA_CACHE=/cache',
    ]);
    expect(own.Entrypoint[0]).toMatch(/^\//);
    expect(own.Size - onto.Size).toBeLessThan(2_000_000);
    const look = 'for one in sh mv sleep cat mkfifo rm; do command -v $one > /dev/null || echo $one; done';
    expect(await shellInImage(look), 'programs that the wrapper of a pod calls').toBe('');
  });

  test('it holds the bundle of these very sources and a place for tokens alone', async () => {
    const bundle = dirname(program);
    const difference = await engine('diff', '--format', 'json', local, base);
    const { added, deleted = [] } = JSON.parse(difference) as { added: string[]; deleted?: string[] };
    const files = (await readdir(bundle)).map((name) => `/airbyte/dist/${name}`);
    const own = ['/airbyte', '/airbyte/dist', '/airbyte/package.json', '/cache', ...files];
    expect([added.toSorted(), deleted]).toStrictEqual([own.toSorted(), []]);
    const built = await printed('sh', ['-c', `cd ${bundle} && ${digests}`]);
    expect(await shellInImage(`cd /airbyte/dist && ${digests}`)).toBe(built);
    expect(await shellInImage('find /airbyte -writable'), 'what it could change of itself').toBe('');
  });
});
