import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { format } from 'prettier';
import { expect, onTestFinished, test } from 'vitest';
import { catalogOf } from '../../support/catalogs.ts';
import { stateArray } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';
import type { Command, WorldRun } from '../../support/test-bed.ts';
import { repository, textOf } from './versions.ts';

const bed = useTestBed();
const catalog = catalogOf({ assets: 'full_refresh', alarms: 'incremental' });

// `--update` writes the table between the marks of the page
test('docs/performance.md has the requests of common runs; `npm run generate` writes them', async () => {
  const world = await bed.world({ assets: 400, alarms: 60 });
  const cache = await mkdtemp(join(tmpdir(), 'tokens-'));
  onTestFinished(() => rm(cache, { recursive: true }));
  const lines: string[] = [];
  const run = async (what: string, command: Command, input: WorldRun) => {
    await world.clearRequests();
    const done = await world.run(command, { ...input, env: { SOURCE_TRAILER_DATA_CACHE: cache } });
    expect(done.code).toBe(0);
    const { token, assets, alarms } = (await world.requests(0)).endpoints;
    lines.push(`| ${[what, token.count, assets.count, alarms.count].join(' | ')} |`);
    return { alarms: alarms.count, token: token.count, state: stateArray(done) };
  };
  await run('the first `check`', 'check', {});
  await run('`discover`', 'discover', {});
  const { state } = await run('the first `read`: alarms in three pages', 'read', { catalog });
  const idle = await run('`read` without news', 'read', { catalog, state });
  expect(idle).toMatchObject({ token: 0, alarms: 1 });
  const part = await world.run('read', { catalog, options: ['--limit-rows', '30'] });
  await run('`read` resumed after 30 rows of each', 'read', { catalog, state: stateArray(part) });
  await world.arrive('alarms', { count: 10, spacingMs: 0.25 });
  await run('`read` with ten new alarms', 'read', { catalog, state });

  const page = 'docs/performance.md';
  const [before, rest = ''] = textOf(page).split('<!-- requests, made by `npm run generate` -->\n');
  const [, after] = rest.split('\n<!-- end of requests -->');
  expect(after, `${page} has no marks`).toBeDefined();
  const table = ['| requests | token | assets | alarms |', '| --- | --- | --- | --- |', ...lines].join('\n');
  const made = await format(table, { parser: 'markdown' });
  const marked = `<!-- requests, made by \`npm run generate\` -->\n\n${made}\n<!-- end of requests -->`;
  await expect(`${before}${marked}${after}`).toMatchFileSnapshot(join(repository, page));
});
