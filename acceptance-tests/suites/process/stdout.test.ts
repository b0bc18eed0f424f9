import { once } from 'node:events';
import { open, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../src/config/temporary-file.test-support.ts';
import { startConnector } from '../../support/start-connector.ts';
import { outputOf } from '../conformance/validate-output.ts';
import { measured, outline, start, startUnread, useRowApi } from './process-fixture.ts';

const MIB = 1024 * 1024;

test('a slow reader: the connector waits, with constant memory', async () => {
  const [rows, rowBytes] = [30_000, 4000];
  const api = await useRowApi(rows, rowBytes, {});
  const { env, peakMemory } = measured({});
  const { process: child, stdout } = await startUnread('read', api.config, { env });
  const exited = once(child, 'exit');
  let bytes = 0;
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    const before = bytes;
    bytes += chunk.length;
    if (Math.floor(before / (50 * MIB)) === Math.floor(bytes / (50 * MIB))) continue;
    // wait until it makes no requests
    for (let pages = -1; pages !== api.pages(); await delay(200)) pages = api.pages();
    // it is only a few pages ahead of its reader
    expect((api.pages() - 16) * 500 * rowBytes).toBeLessThan(bytes);
  }
  expect(await exited).toStrictEqual([0, null]);
  expect(bytes).toBeGreaterThan(rows * rowBytes);
  expect(peakMemory()).toBeLessThan(200 * MIB);
});

test('stdout is closed: no more requests, exit code 1, empty stderr', async () => {
  const api = await useRowApi(1_000_000, 1000, {});
  const { stdout, exit, until } = await start('read', api.config, {});
  await until('"RECORD"');
  stdout.destroy();
  expect(await exit).toStrictEqual({ code: 1, signal: null, stderr: '' });
  expect(api.pages()).toBeLessThan(1000);
});

/** The only line on stderr if stdout cannot be written. */
const unwritable = (reason: string): string =>
  `stdout cannot be written: ${reason}. The output is incomplete.\n`;
const NO_SPACE = unwritable('ENOSPC: no space left on device, write');
const TOO_LARGE = unwritable('EFBIG: file too large, write');
const CLOSED = unwritable('it was closed at the start');

test.each(['read', 'check', 'discover'])(
  'a full disk: %s ends with 1, and stderr says why',
  async (command) => {
    const api = await useRowApi(1_000_000, 1000, {});
    const full = await open('/dev/full', 'w');
    const { exit } = await startUnread(command, api.config, { stdout: full.fd });
    expect(await exit).toStrictEqual({ code: 1, signal: null, stderr: NO_SPACE });
    await full.close();
    expect(api.pages()).toBeLessThan(100);
  },
);

/** A shell that runs a command with such a stdout. */
const redirected = (redirection: string): string[] => ['sh', '-c', `exec "$0" "$@" ${redirection}`];

test('a state that the shell has emptied, because stdout goes to the same file, is told', async () => {
  const api = await useRowApi(10, 10, {});
  const folder = temporaryDirectory();
  await writeFile(join(folder, 'config.json'), JSON.stringify(api.config));
  const warned: boolean[] = [];
  for (const file of ['out.jsonl', 'other.jsonl']) {
    const args = ['read', '--config', 'config.json', '--state', 'out.jsonl'];
    const { exit } = startConnector(args, { folder, through: redirected(`> ${file}`) });
    expect(await exit).toMatchObject({ code: 0, stderr: '' });
    const output = await readFile(join(folder, file), 'utf8');
    warned.push(output.includes('Stdout goes to the same file'));
  }
  expect(warned).toStrictEqual([true, false]);
});

test.each([
  ['closed', '>&-'],
  ['the null device, open for reading too, as some programs start others', '1<> /dev/null'],
])('stdout is %s: no request, exit code 1, and stderr says why', async (_, redirection) => {
  const api = await useRowApi(10, 10, {});
  for (const command of ['read', 'check', 'discover']) {
    const { exit } = await startUnread(command, api.config, { through: redirected(redirection) });
    expect(await exit).toStrictEqual({ code: 1, signal: null, stderr: CLOSED });
  }
  for (const option of ['spec', '--help']) {
    const { exit } = startConnector([option], {
      folder: temporaryDirectory(),
      through: redirected(redirection),
    });
    expect(await exit).toStrictEqual({ code: 1, signal: null, stderr: CLOSED });
  }
  expect([api.tokens(), api.pages()]).toStrictEqual([0, 0]);
});

test.each(['/dev/null', '/dev/zero', '"$0"'])('stdout is open for reading only: %s', async (path) => {
  const through = redirected(`1< ${path}`);
  const { exit } = startConnector(['spec'], { folder: temporaryDirectory(), through });
  expect(await exit).toStrictEqual({
    code: 1,
    signal: null,
    stderr: unwritable('it is open for reading only'),
  });
});

test.each<[what: string, redirection: string, code: number]>([
  ['stdout and stderr are on a full disk: exit code 1', '> /dev/full 2>&1', 1],
  ['output may be discarded', '> /dev/null', 0],
  ['stdout and stderr are closed: exit code 1', '>&- 2>&-', 1],
])('%s', async (_, redirection, code) => {
  const api = await useRowApi(10, 10, {});
  const { exit } = await startUnread('read', api.config, { through: redirected(redirection) });
  expect(await exit).toStrictEqual({ code, signal: null, stderr: '' });
  if (code === 0) expect(api.pages()).toBeGreaterThan(0);
});

/** A shell that runs a command with its output in a file of at most so many KiB. */
const intoFile = (kib: number | 'unlimited', file: string) => ({
  through: ['bash', '-c', `ulimit -f ${kib}; exec "$0" "$@" > "${file}"`],
});
const rowsIn = (output: string): string[] =>
  [...output.matchAll(/"data":(\{"assetId":"\d+"[^}]*\})/g)].map(([, row = '']) => row);

test('output in one piece that exceeds the disk: exit code 1, and stderr says why', async () => {
  const folder = temporaryDirectory();
  const out = join(folder, 'out.jsonl');
  const { exit } = startConnector(['spec'], { folder, ...intoFile(4, out) });
  expect(await exit).toStrictEqual({ code: 1, signal: null, stderr: TOO_LARGE });
  expect(await readFile(out)).toHaveLength(4096);
});

test('a disk that fills during a read: exit code 1, stderr says why, and the next run resumes from the output', async () => {
  const { config } = await useRowApi(3000, 100, {});
  const paged = { ...config, assets: { ...config.assets, page_size: 50 } };
  const out = join(temporaryDirectory(), 'out.jsonl');
  const { exit } = await startUnread('read', paged, intoFile(256, out));
  expect(await exit).toStrictEqual({ code: 1, signal: null, stderr: TOO_LARGE });
  const state = await readFile(out, 'utf8');
  expect(state).toHaveLength(256 * 1024);

  const next = await startUnread('read', paged, { state, ...intoFile('unlimited', out) });
  expect(await next.exit).toStrictEqual({ code: 0, signal: null, stderr: '' });
  const rest = await readFile(out);
  expect(outline(outputOf(rest, true).messages).at(-1)).toBe('COMPLETE');
  expect(new Set([state, rest.toString()].flatMap(rowsIn)).size).toBe(3000);
});

test('a disk without room for the token cache: all rows, a log line, and the next run can write it', async () => {
  const { config } = await useRowApi(20, 10, {});
  const cache = join(temporaryDirectory(), 'cache');
  for (const [limit, words, files] of [
    [
      '0',
      /"WARN","message":"tokens cannot be kept in a file \(EFBIG.*: each run requests another one; .*token_cache/,
      0,
    ],
    ['unlimited', /^(?!.*tokens cannot be kept)/s, 1],
  ] as const) {
    const through = ['bash', '-c', `ulimit -f ${limit}; exec "$0" "$@"`];
    const running = await start('read', config, { env: { SOURCE_TRAILER_DATA_CACHE: cache }, through });
    const { stdout } = await running.endsAs(0, ['STARTED', 'RUNNING', 'STATE', 'COMPLETE']);
    expect(rowsIn(stdout)).toHaveLength(20);
    expect(stdout).toMatch(words);
    expect(await readdir(cache)).toHaveLength(files);
  }
});
