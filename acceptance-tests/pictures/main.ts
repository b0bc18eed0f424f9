import { execFile } from 'node:child_process';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { chromium, type Browser } from 'playwright-core';
import { installDuckdbs } from '../platforms/duckdb-releases.ts';
import { startSandbox, type Sandbox } from '../sandbox/client.ts';
import { findChromium } from '../support/chromium.ts';
import { program } from '../support/program.ts';
import { commandsOf } from '../suites/packaging/markdown.ts';
import { repository } from '../suites/packaging/versions.ts';

// Makes the pictures of the README: of a read, and of what its commands print. Needs Chromium, Python and a package index.

const execute = promisify(execFile);
const work = join(repository, '.work/pictures');
const pictures = join(repository, 'docs/pictures');
const env = { ...process.env, SOURCE_TRAILER_DATA_CACHE: join(work, 'tokens') };

await rm(work, { recursive: true, force: true });
await mkdir(work, { recursive: true });
await mkdir(pictures, { recursive: true });
const executablePath = findChromium();
if (executablePath === undefined) throw new Error('no Chromium found; run "apt-get install chromium"');
const sandbox = await startSandbox();
// its own sandbox does not work for root; it visits this machine only
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  await pictureOfRead(sandbox, browser);
  await pictureOfTables(sandbox, browser);
} finally {
  await browser.close();
  await sandbox.stop();
}

/** Pictures the page of the sandbox while assets are read and others are inserted and deleted. */
async function pictureOfRead({ url, createScenario }: Sandbox, pages: Browser): Promise<void> {
  const options = { latencyMs: 500, assetsLimitCap: 100 };
  const world = await createScenario({ id: 'picture', assets: 1500, alarms: 3000, options });
  const config = join(work, 'config.json');
  await writeFile(config, JSON.stringify(world.config));
  const page = await pages.newPage({ viewport: { width: 1280, height: 860 }, colorScheme: 'light' });
  await page.goto(`${url}/worlds/${world.id}/page`);
  const args = [program, 'read', '--config', config];
  const reading = execute(process.execPath, args, { env, maxBuffer: 2 ** 28 });
  await page.waitForSelector('#assets .bars li >> nth=3');
  await world.insert('assets', { count: 12 });
  await world.delete('assets', { count: 8, at: 'random' });
  await page.waitForSelector('#assets .map .new');
  await page.waitForSelector('#assets .bars li >> nth=9');
  await page.screenshot({ path: join(pictures, 'sandbox.png') });
  await reading;
}

/** Pictures what the last command of the README's section on tables prints. */
async function pictureOfTables({ createScenario }: Sandbox, pages: Browser): Promise<void> {
  const world = await createScenario({ id: 'tables', assets: 200, alarms: 2000 });
  const duckdbs = await installDuckdbs(join(repository, '.work/platforms/duckdb'));
  const [, duckdb = ''] = Object.entries(duckdbs).find(([name]) => name.startsWith('duckdb-cli ')) ?? [];
  const fleet = join(work, 'fleet');
  await mkdir(fleet);
  await writeFile(join(fleet, 'config.json'), JSON.stringify(world.config));
  for (const file of ['run.sh', 'tables.sql'])
    await copyFile(join(repository, 'deploy', file), join(fleet, file));
  const query = commandsOf('README.md').findLast((command) => command.startsWith('duckdb ')) ?? '';
  // a terminal has a width
  const script = `fleet/run.sh ${process.execPath} ${program}\n(cd fleet && duckdb fleet.duckdb < tables.sql)\n${query.replace('duckdb ', 'duckdb -cmd ".maxwidth 120" ')}`;
  const path = `${join(duckdb, '..')}${delimiter}${process.env['PATH'] ?? ''}`;
  const { stdout } = await execute('sh', ['-ec', script], { cwd: work, env: { ...env, PATH: path } });
  const page = await pages.newPage({ viewport: { width: 1280, height: 400 }, deviceScaleFactor: 2 });
  await page.setContent(terminal(`$ ${query}\n${stdout}`));
  await page.locator('pre').screenshot({ path: join(pictures, 'tables.png') });
}

/** A page that shows a text as a terminal does. */
function terminal(text: string): string {
  const escaped = text.trimEnd().replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const style =
    'display:inline-block;margin:0;padding:16px;color:#ddd;background:#1e1e24;font:13px/1.25 "DejaVu Sans Mono",monospace';
  return `<pre style='${style}'>${escaped}</pre>`;
}
