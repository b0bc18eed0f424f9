import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../../src/config/temporary-file.test-support.ts';
import { start, useRowApi } from '../process/process-fixture.ts';
import { useTestBed } from '../../support/test-bed.ts';

const bed = useTestBed();
const HOUR_MS = 3_600_000;

test('twenty hourly reads of a volume whose files get other modes at each mount need one token', async () => {
  const world = await bed.world({ assets: 3, alarms: 3 });
  const cache = join(temporaryDirectory(), 'tokens');
  const clock = join(temporaryDirectory(), 'clock');
  const env = {
    NODE_OPTIONS: `--import=${new URL('shifted-clock.mjs', import.meta.url).href}`,
    CLOCK_FILE: clock,
    SOURCE_TRAILER_DATA_CACHE: cache,
  };
  for (let hour = 0; hour < 20; hour++) {
    writeFileSync(clock, String(hour * HOUR_MS));
    const { code, stdout } = await world.run('read', { env });
    expect([hour, code]).toStrictEqual([hour, 0]);
    expect(stdout.includes('others can read the tokens in ')).toBe(hour > 0);
    // as the kubelet does with fsGroup
    for (const name of readdirSync(cache)) chmodSync(join(cache, name), 0o660);
    await world.advanceClock(3600);
  }
  expect((await world.requests()).tokens.issued).toBe(1);
});

/** An API, and a folder for tokens with one of a finished run; `run` runs a check with it, and returns its warnings. */
async function withToken() {
  const { config, tokens } = await useRowApi(10, 10, {});
  const cache = join(temporaryDirectory(), 'cache');
  const env = { SOURCE_TRAILER_DATA_CACHE: cache, CACHE: cache };
  const launch = (through: readonly string[]) => start('check', config, { env, through });
  const run = async (through: readonly string[]) => {
    const { ended } = await launch(through);
    const { code, stderr, stdout, messages } = await ended();
    expect([code, stderr, messages.at(-1)?.type]).toStrictEqual([0, '', 'CONNECTION_STATUS']);
    return stdout.split('\n').flatMap((line) => /"level":"WARN","message":"(.*)"\}\}$/.exec(line)?.[1] ?? []);
  };
  expect(await run([])).toStrictEqual([]);
  const file = join(cache, readdirSync(cache)[0] ?? '');
  return { run, launch, tokens, file };
}

/** Only root can give a file away; for others it stays what it is. */
function giveAway(file: string): void {
  if (process.getuid?.() === 0) chownSync(file, 1234, 1234);
}

test.each<[what: string, change: (file: string) => unknown, used: boolean, warning: RegExp | null]>([
  [
    'as SMB shows it',
    (file) => chmodSync(file, 0o777),
    true,
    /^others can read the tokens in \S+ \(mode 0777\)$/,
  ],
  ['of another user', giveAway, true, null],
  ['of another user, readable by all', (file) => [giveAway(file), chmodSync(file, 0o644)], true, /mode 0644/],
  [
    'with another token',
    (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('fixed-token', 'other-token')),
    false,
    /^the token cache \S+ is ignored: it is damaged, or was not written with this client_secret/,
  ],
  ['that is empty', (file) => writeFileSync(file, ''), false, /is ignored: it is damaged/],
])('a cache file %s', async (_, change, used, warning) => {
  const { run, tokens, file } = await withToken();
  change(file);
  expect(await run([])).toStrictEqual(warning === null ? [] : [expect.stringMatching(warning)]);
  expect(tokens()).toBe(used ? 1 : 2);
});

/** Runs a program without the right of root to enter any folder. */
const UNPRIVILEGED = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all'] : [];

test.each([0o000, 0o600, 0o400])(
  'a cache folder of mode %o, which may not be entered: a warning says so, and the token is kept in memory',
  async (mode) => {
    const { run, tokens, file } = await withToken();
    chmodSync(dirname(file), mode);
    onTestFinished(() => chmodSync(dirname(file), 0o700));
    expect(await run(UNPRIVILEGED)).toStrictEqual([
      expect.stringMatching(
        /^tokens cannot be kept in a file \(\S+\.json cannot be read: permission denied\): each run requests/,
      ),
    ]);
    expect(tokens()).toBe(2);
  },
);

/** Runs a shell command in a mount namespace before the program. */
const mounted = (command: string): string[] => ['unshare', '-rm', 'sh', '-c', `${command} && exec "$0" "$@"`];

function whyNoMount(): string | null {
  const { error, status, stderr } = spawnSync('unshare', ['-rm', 'true']);
  return status === 0 ? null : String(error ?? stderr);
}

const reason = whyNoMount();
const READ_ONLY = mounted('mount --bind "$CACHE" "$CACHE" && mount -o remount,ro,bind "$CACHE"');
const ADVICE =
  /each run requests another one; name a writable directory with --token-cache, or set \\"token_cache\\": \\"\\" in the config/;

describe.skipIf(reason !== null)(`volumes${reason === null ? '' : `, skipped: ${reason}`}`, () => {
  test('a token on a read-only volume is used; without one, a warning says why it is not kept', async () => {
    const { run, tokens, file } = await withToken();
    expect(await run(READ_ONLY)).toStrictEqual([]);
    expect(tokens()).toBe(1);
    writeFileSync(file, '');
    const [ignored, kept, ...others] = await run(READ_ONLY);
    expect(ignored).toContain('is ignored: it is damaged');
    expect(kept).toMatch(/^tokens cannot be kept in a file \(EROFS.*\)/);
    expect(kept).toMatch(ADVICE);
    expect(others).toStrictEqual([]);
  });

  test('a full disk', async () => {
    const { run, tokens } = await withToken();
    const full = mounted('mount -t tmpfs -o size=4k t "$CACHE" && head -c 4096 /dev/zero > "$CACHE/full"');
    const [warning, ...others] = await run(full);
    expect(warning).toMatch(/^tokens cannot be kept in a file \(ENOSPC/);
    expect(warning).toMatch(ADVICE);
    expect([others, tokens()]).toStrictEqual([[], 2]);
  });

  test('a file that cannot be renamed over is overwritten, and used by the next run', async () => {
    const { run, tokens, file } = await withToken();
    writeFileSync(file, '');
    const pinned = mounted(`mount --bind "${file}" "${file}"`);
    expect(await run(pinned)).toStrictEqual([
      expect.stringContaining('is ignored'),
      expect.stringMatching(/^the token cache \S+ is overwritten in place \(EBUSY/),
    ]);
    expect(await run(pinned)).toStrictEqual([]);
    expect(tokens()).toBe(2);
  });
});

test('without a lock, tokens are shared all the same', async () => {
  const { run, tokens, file } = await withToken();
  writeFileSync(file, '');
  mkdirSync(`${file}.lock`);
  expect(await run([])).toStrictEqual([
    expect.stringContaining('is ignored'),
    expect.stringMatching(/is used without a lock \(.*is not a regular file\)/),
  ]);
  expect(await run([])).toStrictEqual([]);
  expect(tokens()).toBe(2);
});

test('a wait for a lock says what it waits for', async () => {
  const { launch, file } = await withToken();
  writeFileSync(file, '');
  writeFileSync(`${file}.lock`, JSON.stringify({ id: 'far', pid: 7, namespace: 'elsewhere' }));
  const { until, process: running } = await launch([]);
  await until(`waiting for the lock ${file}.lock, held by process 7, for up to 3 min`);
  running.kill('SIGKILL');
});
