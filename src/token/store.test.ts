import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryDirectory } from '../config/temporary-file.test-support.ts';
import { emptyCache, withChanges, type TokenCache } from './cache.ts';
import { createFileStore, openCacheDirectory, openFileStore } from './store.ts';
import type { FileStoreDeps, TokenStore } from './store.ts';

const NOW = Date.UTC(2026, 0, 1);
const { signal } = new AbortController();

function partsFor(reasons: string[], warnings: string[]): FileStoreDeps {
  return {
    credential: 'c1',
    fileKey: 'c1',
    secret: 'the-secret',
    warn: async (message) => void warnings.push(message),
    onLocked: async () => undefined,
    now: () => NOW,
    sleep: async (ms) => {
      await delay(ms);
    },
    ticks: () => performance.now(),
    onUnwritable: async (reason) => {
      reasons.push(reason);
    },
  };
}

function storeIn(folder: string, reasons: string[], warnings: string[]): TokenStore {
  return createFileStore(folder, partsFor(reasons, warnings));
}

function cacheWith(accessToken: string, endMs: number): TokenCache {
  const token = { accessToken, tokenType: 'Bearer', issuedAtMs: NOW - 1000, endMs, refusedAtMs: {} };
  const issuances = { API: { times: [NOW], refusedUntilMs: 0 } };
  return withChanges(emptyCache('c1'), { tokens: { key: token }, issuances });
}

async function save(store: TokenStore, cache: TokenCache): Promise<void> {
  await store.exclusively((_, keep) => keep(cache), signal);
}

function onlyFile(folder: string): string {
  const [file, ...others] = readdirSync(folder);
  expect(others).toStrictEqual([]);
  return join(folder, file ?? '');
}

describe('the file', () => {
  test('is private, is replaced as a whole, and is read by other processes', async () => {
    const folder = temporaryDirectory();
    await save(storeIn(folder, [], []), cacheWith('t1', NOW + 1));
    await save(storeIn(folder, [], []), cacheWith('t2', NOW + 1));
    const { tokens, issuances } = await storeIn(folder, [], []).read();
    expect(tokens['key']?.accessToken).toBe('t2');
    expect(issuances).toStrictEqual({ API: { times: [NOW], refusedUntilMs: 0 } });
    expect(statSync(onlyFile(folder)).mode & 0o777).toBe(0o600);
  });

  test('drops expired tokens, but not their issuances', async () => {
    const folder = temporaryDirectory();
    await save(storeIn(folder, [], []), cacheWith('t1', NOW));
    expect(await storeIn(folder, [], []).read()).toMatchObject({
      tokens: {},
      issuances: { API: { times: [NOW] } },
    });
  });

  const spoilers: [what: string, spoil: (file: string) => void][] = [
    ['is empty', (file) => writeFileSync(file, '')],
    ['is truncated', (file) => writeFileSync(file, readFileSync(file).subarray(0, 40))],
    ['is not text', (file) => writeFileSync(file, Buffer.from([0xff, 0xfe, 0]))],
    [
      'is of another version',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('"version":1', '"version":2')),
    ],
    [
      'is of another credential',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('"c1"', '"c2"')),
    ],
    [
      'contains a token that is not valid in a header',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('"t1"', '"t 1"')),
    ],
    ['is huge', (file) => writeFileSync(file, readFileSync(file, 'utf8') + ' '.repeat(2 ** 20))],
  ];
  test.each(spoilers)('that %s is ignored and replaced', async (_, spoil) => {
    const folder = temporaryDirectory();
    await save(storeIn(folder, [], []), cacheWith('t1', NOW + 1));
    const file = onlyFile(folder);
    spoil(file);
    const warnings: string[] = [];
    const store = storeIn(folder, [], warnings);
    expect([await store.read(), await store.read()]).toStrictEqual([emptyCache('c1'), emptyCache('c1')]);
    expect(warnings).toStrictEqual([
      expect.stringMatching(/^the token cache \S+ is ignored: it is (damaged|larger)/),
    ]);
    await save(storeIn(folder, [], []), cacheWith('t2', NOW + 1));
    expect((await storeIn(folder, [], []).read()).tokens['key']?.accessToken).toBe('t2');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

test.each([0o660, 0o644, 0o777])(
  'a file of mode %o is used, and a warning says once who can read it',
  async (mode) => {
    const folder = temporaryDirectory();
    await save(storeIn(folder, [], []), cacheWith('t1', NOW + 1));
    const file = onlyFile(folder);
    chmodSync(file, mode);
    const warnings: string[] = [];
    const store = storeIn(folder, [], warnings);
    for (let turn = 0; turn < 3; turn++) expect((await store.read()).tokens['key']?.accessToken).toBe('t1');
    expect(warnings).toStrictEqual([`others can read the tokens in ${file} (mode 0${mode.toString(8)})`]);
  },
);

test('a file that someone else has written is ignored, however it looks', async () => {
  const folder = temporaryDirectory();
  const other = createFileStore(folder, { ...partsFor([], []), secret: 'another-secret' });
  await save(other, cacheWith('planted', NOW + 1));
  const warnings: string[] = [];
  expect(await storeIn(folder, [], warnings).read()).toStrictEqual(emptyCache('c1'));
  expect(warnings).toStrictEqual([expect.stringContaining('was not written with this client_secret')]);
});

test('if the file cannot be written, tokens are kept in memory, and the reason is reported', async () => {
  const folder = temporaryDirectory();
  rmSync(folder, { recursive: true });
  const reasons: string[] = [];
  const store = storeIn(folder, reasons, []);
  await save(store, cacheWith('t1', NOW + 1));
  await save(store, cacheWith('t1', NOW + 1));
  expect(reasons).toStrictEqual([expect.stringContaining('ENOENT')]);
  expect((await store.read()).tokens['key']?.accessToken).toBe('t1');
});

test.each<[what: string, put: (path: string) => void]>([
  ['a folder', (path) => mkdirSync(path)],
  ['a FIFO', (path) => spawnSync('mkfifo', [path])],
  ['a link to a file of ours', (path) => symlinkSync(`${path}.other`, path)],
  ['a link to itself', (path) => symlinkSync(path, path)],
])(
  '%s in place of the file is left alone: that is reported once, and tokens are kept in memory',
  async (_, put) => {
    const folder = temporaryDirectory();
    await save(storeIn(folder, [], []), cacheWith('t1', NOW + 1));
    const file = onlyFile(folder);
    renameSync(file, `${file}.other`);
    put(file);
    const reasons: string[] = [];
    const store = storeIn(folder, reasons, []);
    expect(await store.read()).toStrictEqual(emptyCache('c1'));
    await save(store, cacheWith('t2', NOW + 1));
    await save(store, cacheWith('t2', NOW + 1));
    expect(reasons).toStrictEqual([`${file} is not a regular file`]);
    expect((await store.read()).tokens['key']?.accessToken).toBe('t2');
    expect(lstatSync(file).isFile()).toBe(false);
    expect(readFileSync(`${file}.other`, 'utf8')).toContain('"t1"');
  },
);

test.each<[what: string, place: (folder: string) => string]>([
  ['a link to itself', (folder) => join(folder, 'loop')],
  ['a name that the volume does not take', (folder) => join(folder, 'long'.repeat(100))],
])(
  'a folder that cannot be entered, as behind %s: that is reported once, and tokens are kept in memory',
  async (_, place) => {
    const folder = temporaryDirectory();
    symlinkSync('loop', join(folder, 'loop'));
    const reasons: string[] = [];
    const warnings: string[] = [];
    const store = storeIn(place(folder), reasons, warnings);
    expect(await store.read()).toStrictEqual(emptyCache('c1'));
    await save(store, cacheWith('t1', NOW + 1));
    await save(store, cacheWith('t1', NOW + 1));
    expect(reasons).toStrictEqual([expect.stringMatching(/tokens-c1\.json cannot be read \(E[A-Z]+: /)]);
    expect(warnings).toStrictEqual([]);
    expect((await store.read()).tokens['key']?.accessToken).toBe('t1');
  },
);

test('without the lock the file is written all the same, with what others have written since', async () => {
  const folder = temporaryDirectory();
  await save(storeIn(folder, [], []), cacheWith('t1', NOW + 1));
  mkdirSync(`${onlyFile(folder)}.lock`);
  const reasons: string[] = [];
  const warnings: string[] = [];
  await storeIn(folder, reasons, warnings).exclusively(async (kept, keep) => {
    const issuances = { A1: { times: [1], refusedUntilMs: 0 } };
    await save(storeIn(folder, [], []), withChanges(kept, { issuances }));
    await keep(withChanges(kept, { issuances: { A2: { times: [2], refusedUntilMs: 0 } } }));
  }, signal);
  expect(reasons).toStrictEqual([]);
  expect(warnings).toStrictEqual([
    expect.stringMatching(
      /is used without a lock \(\S+tokens-c1\.json\.lock is not a regular file\): processes that/,
    ),
  ]);
  expect(Object.keys((await storeIn(folder, [], []).read()).issuances)).toStrictEqual(['API', 'A1', 'A2']);
  expect(readdirSync(folder)).toHaveLength(2);
});

test('the temporary file of a killed process is replaced', async () => {
  const folder = temporaryDirectory();
  await save(storeIn(folder, [], []), cacheWith('t1', NOW + 1));
  writeFileSync(`${onlyFile(folder)}.next`, '{');
  await save(storeIn(folder, [], []), cacheWith('t2', NOW + 1));
  expect(readFileSync(onlyFile(folder), 'utf8')).toContain('"t2"');
});

test('concurrent changes are all kept', async () => {
  const folder = temporaryDirectory();
  const add = (index: number): Promise<void> =>
    storeIn(folder, [], []).exclusively(async (kept, keep) => {
      await delay(1);
      const issuances = { [`A${index}`]: { times: [index], refusedUntilMs: 0 } };
      await keep(withChanges(kept, { issuances }));
    }, signal);
  await Promise.all(Array.from({ length: 25 }, (_, index) => add(index)));
  expect(Object.keys((await storeIn(folder, [], []).read()).issuances).length).toBe(25);
});

describe('the folder', () => {
  test('is the one from the command line, else from the environment, else of the user, and is created as a private one', async () => {
    const home = temporaryDirectory();
    const environment = { SOURCE_TRAILER_DATA_CACHE: join(home, 'named'), XDG_CACHE_HOME: join(home, 'xdg') };
    const paths = [
      await openCacheDirectory(join(home, 'a', 'sked'), environment),
      await openCacheDirectory(null, environment),
      await openCacheDirectory(null, { ...environment, SOURCE_TRAILER_DATA_CACHE: '' }),
    ];
    expect(paths).toStrictEqual([
      join(home, 'a', 'sked'),
      join(home, 'named'),
      join(home, 'xdg', 'source-trailer-data'),
    ]);
    for (const path of paths) expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  test('of the user is none that depends on where the program is started', async () => {
    const home = temporaryDirectory();
    vi.stubEnv('HOME', home);
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const relative of ['~/.cache', 'cache', ''])
      expect(await openCacheDirectory(null, { XDG_CACHE_HOME: relative })).toMatch(home);
  });

  test('keeps its mode if it exists', async () => {
    const folder = temporaryDirectory();
    chmodSync(folder, 0o755);
    expect(await openCacheDirectory(folder, {})).toBe(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o755);
  });

  test.runIf(existsSync('/proc/self'))(
    'is given up where the file system answers that it does not exist',
    async () => {
      const reasons: string[] = [];
      expect(await openFileStore('/proc/none/folder', partsFor(reasons, []))).toBeNull();
      expect(reasons).toStrictEqual([expect.stringMatching(/^ENOENT: .* '\/proc\/none'$/)]);
    },
  );

  test.each<[what: string, put: (path: string) => void, reason: RegExp]>([
    ['a link to itself', (path) => symlinkSync(path, path), /^ELOOP: /],
    ['a file', (path) => writeFileSync(path, ''), / is not a directory$/],
    ['a link to nothing', (path) => symlinkSync('nothing', path), /^EEXIST: /],
  ])('whose place is taken by %s is given up for that reason', async (_, put, reason) => {
    const folder = join(temporaryDirectory(), 'cache');
    put(folder);
    const reasons: string[] = [];
    expect(await openFileStore(folder, partsFor(reasons, []))).toBeNull();
    expect(reasons).toStrictEqual([expect.stringMatching(reason)]);
  });

  test('is not required to be writable', async () => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    const reasons: string[] = [];
    expect(await openFileStore(join(file, 'folder'), partsFor(reasons, []))).toBeNull();
    expect(reasons).toStrictEqual([expect.any(String)]);
    expect(existsSync(join(file, 'folder'))).toBe(false);
  });
});
