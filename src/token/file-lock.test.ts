import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../config/temporary-file.test-support.ts';
import { isLong } from '../property-runs.test-support.ts';
import { withFileLock, type LockDeps } from './file-lock.ts';

const { signal } = new AbortController();

const FAR = JSON.stringify({ id: 'far', pid: 1 });

const lockPath = (): string => join(temporaryDirectory(), 'tokens.lock');

/** A clock that moves only while somebody sleeps. */
function virtualDeps(): LockDeps & { readonly slept: () => number; readonly messages: string[] } {
  let ticks = 0;
  const messages: string[] = [];
  return {
    sleep: async (ms) => {
      ticks += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
    ticks: () => ticks,
    signal,
    onLocked: async (message) => void messages.push(message),
    slept: () => ticks,
    messages,
  };
}

/** Runs `count` tasks that each hold the lock for a while; returns the maximum number that held it at once. */
async function maxConcurrent(path: string, count: number): Promise<number> {
  let [inside, max] = [0, 0];
  const work = async (): Promise<void> => {
    inside++;
    max = Math.max(max, inside);
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    inside--;
  };
  await Promise.all(Array.from({ length: count }, () => withFileLock(path, virtualDeps(), work)));
  return max;
}

test('one holder at a time, and no files remain', async () => {
  const path = lockPath();
  expect(await maxConcurrent(path, 30)).toBe(1);
  expect(readdirSync(join(path, '..'))).toStrictEqual([]);
});

test('the lock is released when the work fails', async () => {
  const path = lockPath();
  const work = async (): Promise<never> => {
    expect(existsSync(path)).toBe(true);
    throw new Error('work');
  };
  await expect(withFileLock(path, virtualDeps(), work)).rejects.toThrow('work');
  expect(existsSync(path)).toBe(false);
});

test('a lock that another process has broken and taken is not released', async () => {
  const path = lockPath();
  await withFileLock(path, virtualDeps(), async () => writeFileSync(path, FAR));
  expect(readFileSync(path, 'utf8')).toBe(FAR);
});

test('a lock of a killed process is broken by one process only', async () => {
  const path = lockPath();
  writeFileSync(path, FAR);
  expect(await maxConcurrent(path, isLong ? 30 : 8)).toBe(1);
  expect(readdirSync(join(path, '..'))).toStrictEqual([]);
});

test.each([
  ['of a process that is gone', FAR],
  ['that cannot be read', '{'],
  ['with an invalid id', JSON.stringify({ id: '../x', pid: 1 })],
])('a lock %s is broken once it is older than any that is in use', async (_, text) => {
  const path = lockPath();
  writeFileSync(path, text);
  const deps = virtualDeps();
  expect(await withFileLock(path, deps, async () => 'in')).toBe('in');
  expect(deps.slept()).toBeGreaterThan(75_000);
  expect(deps.slept()).toBeLessThan(76_000);
  expect(readdirSync(join(path, '..'))).toStrictEqual([]);
});

test('a wait can be aborted', async () => {
  const path = lockPath();
  writeFileSync(path, FAR);
  const stop = new AbortController();
  const deps = virtualDeps();
  const sleep = async (ms: number): Promise<void> => {
    await deps.sleep(ms, signal);
    if (deps.slept() > 1000) stop.abort(new Error('enough'));
  };
  const waiting = withFileLock(path, { ...deps, sleep, signal: stop.signal }, async () => 'in');
  await expect(waiting).rejects.toThrow('enough');
});

/** Takes and releases the lock; returns the reason if that is not possible. */
function lockFailure(path: string, deps: LockDeps): Promise<string | null> {
  return withFileLock(path, deps, async (failure) => failure);
}

test('if no lock can be created, the work runs without it and receives the reason', async () => {
  const path = join(lockPath(), 'no folder', 'lock');
  expect(await lockFailure(path, virtualDeps())).toMatch(/ENOENT/);
});

test('the wait for a lock that others keep taking ends', async () => {
  const path = lockPath();
  writeFileSync(path, FAR);
  const deps = virtualDeps();
  let taken = 0;
  const sleep: LockDeps['sleep'] = async (ms) => {
    // none of them holds it for long
    expect(existsSync(path)).toBe(true);
    writeFileSync(path, FAR.replace('far', `far-${taken++}`));
    // and it takes fewer turns than there are
    await deps.sleep(5 * ms, signal);
  };
  expect(await lockFailure(path, { ...deps, sleep })).toBe(`${path} is still locked`);
  expect(deps.slept()).toBeGreaterThan(149_000);
  expect(deps.slept()).toBeLessThan(151_000);
  expect(deps.messages).toHaveLength(3);
  expect(deps.messages[0]).toMatch(
    /^waiting for the lock \S+tokens\.lock, held by process 1, for up to 3 min$/,
  );
});

test('a short wait for a lock is not reported', async () => {
  const deps = virtualDeps();
  await withFileLock(lockPath(), deps, async () => deps.sleep(1000, signal));
  expect(deps.messages).toStrictEqual([]);
});

test.each<[what: string, make: (path: string) => void]>([
  ['a folder', (path) => mkdirSync(path)],
  ['a FIFO', (path) => spawnSync('mkfifo', [path])],
  ['a link to a FIFO', (path) => [spawnSync('mkfifo', [`${path}-`]), symlinkSync(`${path}-`, path)]],
  ['a link to a device without end', (path) => symlinkSync('/dev/zero', path)],
  ['a link to itself', (path) => symlinkSync(path, path)],
  ['a link to nothing', (path) => symlinkSync(`${path}-`, path)],
])('if the lock path is %s, the work runs without the lock at once', async (_, make) => {
  const path = lockPath();
  make(path);
  const deps = virtualDeps();
  expect(await lockFailure(path, deps)).toBe(`${path} is not a regular file`);
  expect(deps.slept()).toBe(0);
  expect(lstatSync(path).isFile()).toBe(false);
});

test('a lock truncated by a full disk is removed, and the work runs without it', async () => {
  const path = lockPath();
  // files cannot grow, as on a full disk
  const script = `import { withFileLock } from ${JSON.stringify(join(import.meta.dirname, 'file-lock.ts'))};
    const deps = { sleep: async () => { throw new Error('slept') }, ticks: () => 0, signal: new AbortController().signal };
    process.stdout.write(String(await withFileLock(process.argv[1], deps, async (why) => why)));`;
  const run = spawnSync(
    'bash',
    [
      '-c',
      'ulimit -f 0; exec "$0" --import tsx --input-type=module -e "$1" "$2"',
      process.execPath,
      script,
      path,
    ],
    { encoding: 'utf8' },
  );
  expect([run.stderr, run.stdout]).toStrictEqual(['', expect.stringMatching(/EFBIG/)]);
  expect(readdirSync(join(path, '..'))).toStrictEqual([]);
});
