import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../src/config/temporary-file.test-support.ts';
import { program } from '../../support/program.ts';
import { bareEnvironment } from '../../support/start-connector.ts';
import { useTestBed } from '../../support/test-bed.ts';
import { blocksOf, commandsOf } from './markdown.ts';
import { repository, textOf } from './versions.ts';

const execute = promisify(execFile);

/** Commands that are not run here, the file that runs them, and a text in it that shows this. */
const ELSEWHERE: readonly (readonly [command: RegExp, file: string, words: string])[] = [
  [/^npm run demo$/, '.ci/run', 'npm run demo'],
  [/^npm test$/, '.ci/run', 'npm test'],
  [/^npm ci$/, 'install.mjs', "['ci', "],
  [/^npm run sandbox$/, 'acceptance-tests/sandbox/sandbox.test.ts', "new URL('main.ts', import.meta.url)"],
  [/^npm run build$/, 'acceptance-tests/prepare.mjs', "'build'"],
  // its tests are part of `npm test`, which writes nothing
  [/^npm run generate$/, 'acceptance-tests/suites/packaging/generated-pages.test.ts', 'toMatchFileSnapshot'],
  [
    /^(python3 -m venv |\.work\/duckdb\/|export PATH=|\(cd fleet && duckdb |duckdb )/,
    'acceptance-tests/platforms/fresh-clone.test.ts',
    "'README.md'",
  ],
  [/^docker /, 'acceptance-tests/platforms/container/docker.test.ts', "'README.md'"],
];

/** The commands of pages that are read in parts, in the order of the pages. */
const OTHER_PAGES: readonly (readonly [command: RegExp, file: string, words: string])[] = [
  [/^(cd \/srv|\.\/ranges\.sh|seq |\.\/run\.sh)/, 'deploy/ranges.test.ts', "'docs/deploying.md'"],
  [/^deploy\/ranges\.sh /, 'acceptance-tests/platforms/container/pods.test.ts', "'past-job.yaml'"],
  // the page says so
  [/^(kubectl |jq )/, 'docs/deploying.md', 'do not run kubectl'],
  [
    /^(duckdb fleet\.duckdb (<|-c)|since=|for day )/,
    'acceptance-tests/platforms/python/test_tables.py',
    'recipes.md',
  ],
  [/^(node dist|ids)/, 'acceptance-tests/suites/packaging/page-commands.test.ts', "'docs/recipes.md'"],
];

const bed = useTestBed();

/** A folder like a fresh clone after a build, and a sandbox. */
async function workplace(assets: number) {
  const { id, config } = await bed.world({ assets, alarms: 60 });
  const cwd = temporaryDirectory();
  await mkdir(join(cwd, '.work'), { recursive: true });
  await symlink(dirname(program), join(cwd, 'dist'));
  await symlink(join(repository, 'deploy'), join(cwd, 'deploy'));
  await writeFile(join(cwd, '.work/sandbox-config.json'), JSON.stringify(config));
  /** The output of a script. Throws if a command fails or writes to stderr. */
  const run = async (script: string): Promise<string> => {
    const { stdout, stderr } = await execute('sh', ['-ec', script], { cwd, env: bareEnvironment(cwd) });
    expect(stderr, script).toBe('');
    return stdout;
  };
  return { cwd, url: `${new URL(config.auth_url).origin}/worlds/${id}`, run };
}

test.each(['README.md', 'docs/running.md'])('each command in %s works, one after the other', async (page) => {
  const { cwd, run } = await workplace(60);
  for (const command of commandsOf(page)) {
    const [, file, words = ''] = ELSEWHERE.find(([pattern]) => pattern.test(command)) ?? [];
    if (file === undefined) await run(command);
    else expect(textOf(file)).toContain(words);
  }
  const made = [
    ...readdirSync(cwd).filter((name) => !['dist', 'deploy', 'token-cache'].includes(name)),
    'data/out.jsonl',
  ];
  const ignored = await execute('git', ['check-ignore', '--no-index', ...made], { cwd: repository });
  expect(
    ignored.stdout.split('\n').slice(0, -1),
    'git ignores the files that the commands create',
  ).toStrictEqual(made);
});

test.each(['deploying', 'warehouse', 'recipes', 'platforms'])(
  'each command in docs/%s.md is run by a test, or the page says that it is not',
  (name) => {
    const page = `docs/${name}.md`;
    const unknown = commandsOf(page).filter(
      (command) =>
        !OTHER_PAGES.some(([pattern, file, words]) => pattern.test(command) && textOf(file).includes(words)),
    );
    if (name === 'platforms') expect(textOf(page)).toContain('do not run these commands');
    else expect(unknown).toStrictEqual([]);
  },
);

test('docs/recipes.md: two complete reads show deleted rows, an incomplete read shows none', async () => {
  const { url, run } = await workplace(60);
  const [block = ''] = blocksOf(textOf('docs/recipes.md'), 'sh');
  const [monday = '', tuesday = '', ...compare] = block.split(/(?<=\n)/);
  await run(monday);
  const gone = await fetch(`${url}/assets/delete`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"count": 7, "at": "random"}',
  });
  await run(tuesday);
  const { ids } = (await gone.json()) as { ids: string[] };
  expect((await run(compare.join(''))).trim().split('\n')).toStrictEqual(ids.toSorted());
  await run('grep -v COMPLETE tuesday.jsonl > cut.jsonl; mv cut.jsonl tuesday.jsonl');
  await expect(run(compare.join(''))).rejects.toMatchObject({ code: 1, stdout: '' });
});

test('the commands of docs/sandbox.md change the sandbox and compare a read with it', async () => {
  const { url, run } = await workplace(60);
  const [start, ...blocks] = blocksOf(textOf('docs/sandbox.md'), 'sh');
  expect(start).toBe('npm run sandbox\n');
  const script = blocks.join('').replace('http://127.0.0.1:4700/worlds/demo', url);
  const [change, compare] = script.split(/^(?=curl .*truth\.txt$)/m);
  expect(compare).toContain('cmp');
  await run(String(change));
  await run('node dist/main.js read --config .work/sandbox-config.json > out.jsonl');
  expect(await run(`W=${url}\n${compare}`)).toBe('');
});

test('docs/test-your-client.md: counting offsets loses rows, the connector loses none', async () => {
  const { cwd, url, run } = await workplace(2000);
  const page = textOf('docs/test-your-client.md');
  await writeFile(join(cwd, 'client.mjs'), blocksOf(page, 'js').join(''));
  const [client = '', connector = ''] = blocksOf(page, 'sh').map((block) =>
    block.replace('http://127.0.0.1:4700/worlds/demo', url),
  );
  const said = async (script: string) => /"says":"(.*)"/.exec(await run(script))?.[1];
  expect(await said(client)).toMatch(/^[1-9]\d* of [\d,]+ rows lost, \d+ repeated, [1-9][\d,]* altered$/);
  expect(await said(`W=${url}\n${connector}`)).toMatch(/^0 of [\d,]+ rows lost, 0 repeated, 0 altered$/);
});
