import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { program } from '../../support/program.ts';
import { packageOf, textOf } from '../../suites/packaging/versions.ts';
import { canRunImages, engine, image, printed, tool } from './image.ts';

const local = `localhost/${image}`;
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
  test('has the labels, entry points, user and variables that platforms expect', async () => {
    const { name, version } = packageOf();
    const [own, onto] = [await inspect(local), await inspect(base)];
    expect(own.Labels).toMatchObject({ 'io.airbyte.name': name, 'io.airbyte.version': version });
    expect(own.User).toBe('1000:1000');
    // contains no secrets
    expect(own.Env.filter((variable) => !onto.Env.includes(variable)).toSorted()).toStrictEqual([
      `AIRBYTE_ENTRYPOINT=${own.Entrypoint.join(' ')}`,
      'NODE_ENV=production',
      'SOURCE_TRAILER_DATA_CACHE=/cache',
    ]);
    expect(own.Entrypoint[0]).toMatch(/^\//);
    expect(own.Size - onto.Size).toBeLessThan(2_000_000);
    const missing =
      'for one in sh mv sleep cat mkfifo rm flock awk grep xargs find sort sed tr wc head date sync id; do command -v $one > /dev/null || echo $one; done';
    expect(await shellInImage(missing), 'programs that the wrapper of a pod and run.sh call').toBe('');
  });

  test('contains only the current bundle and a folder for tokens', async () => {
    const bundle = dirname(program);
    const difference = await engine('diff', '--format', 'json', local, base);
    const { added, deleted = [] } = JSON.parse(difference) as { added: string[]; deleted?: string[] };
    const files = (await readdir(bundle)).map((name) => `/airbyte/dist/${name}`);
    const own = ['/airbyte', '/airbyte/dist', '/airbyte/package.json', '/airbyte/run.sh', '/cache', ...files];
    expect([added.toSorted(), deleted]).toStrictEqual([own.toSorted(), []]);
    const built = await printed('sh', ['-c', `cd ${bundle} && ${digests}`]);
    expect(await shellInImage(`cd /airbyte/dist && ${digests}`)).toBe(built);
    expect(await shellInImage('find /airbyte -writable'), 'files that it can change').toBe('');
  });
});
