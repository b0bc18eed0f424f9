import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import split2 from 'split2';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../src/config/temporary-file.test-support.ts';
import { commandsIn } from '../suites/packaging/markdown.ts';
import { repository } from '../suites/packaging/versions.ts';

const execute = promisify(execFile);

/** What other tests run. */
const ELSEWHERE = /^(npm test$|docker )/;

/** ms: a newcomer has tables in five minutes; here, other tests run beside, which take half of each core. */
const TIME_TO_TABLES = 2 * 300_000;

function canInstallDuckdb(): boolean {
  try {
    const download = `-m pip download --no-cache-dir --no-deps --dest ${tmpdir()} iniconfig`;
    for (const args of [download, '-m venv --help'])
      execFileSync('python3', args.split(' '), { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test.skipIf(!canInstallDuckdb())(
  'each command of the README works in a fresh clone, one after the other, and makes tables in five minutes',
  async () => {
    const folder = temporaryDirectory();
    const clone = join(folder, 'source-trailer-data');
    const started = Date.now();
    await execute('git', ['clone', '--quiet', repository, clone]);
    const path = `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`;
    const env = { ...process.env, PATH: path, SOURCE_TRAILER_DATA_CACHE: join(folder, 'tokens') };
    const commands = commandsIn(readFileSync(join(clone, 'README.md'), 'utf8')).filter(
      (command) => !ELSEWHERE.test(command),
    );
    const at = commands.indexOf('npm run sandbox');
    expect(at).toBeGreaterThan(-1);
    const run = (lines: readonly string[]) =>
      execute('bash', ['-ec', lines.join('\n')], { cwd: clone, env, maxBuffer: 2 ** 28 });
    await run(commands.slice(0, at));
    await startedInBackground(clone, env);
    const tables = commands.findLastIndex((command) => command.startsWith('duckdb '));
    const { stdout } = await run(commands.slice(at + 1, tables + 1));
    expect(Date.now() - started).toBeLessThan(TIME_TO_TABLES);
    expect(stdout).toMatch(/ timestamp with time zone .* decimal\(38,2\) .*\n.*\n(│ 2025-.*\n){5}/);
    await run(commands.slice(tables + 1));
    expect((await execute('git', ['status', '--porcelain'], { cwd: clone })).stdout).toBe('');
  },
);

/** Runs `npm run sandbox` on a free port until the end of the test. Resolves when it is ready. */
async function startedInBackground(cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const args = ['run', 'sandbox', '--', '--port', '0'];
  const sandbox = spawn('npm', args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  onTestFinished(async () => {
    const closed = once(sandbox, 'close');
    process.kill(-(sandbox.pid ?? 0), 'SIGTERM');
    await closed;
  });
  for await (const line of sandbox.stdout.pipe(split2()))
    if (String(line).startsWith('The sandbox is running')) return;
  throw new Error('the sandbox ended before it was ready');
}
