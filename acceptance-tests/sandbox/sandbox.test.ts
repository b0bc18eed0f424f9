import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type OptionsPatch, type Options, type Sandbox, type GroundTruth } from './client.ts';
import { eachList, pagedBy } from './lists.ts';
import { column, createCaller, linesOf } from './test-calls.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

describe('the process', () => {
  it('starts with the world "demo"', async () => {
    const caller = await createCaller(sandbox.demo);
    expect((await caller.page('assets', {})).items.length).toBeGreaterThan(0);
    expect(sandbox.demo.config.alarms).toMatchObject({ audience: 'UMAPI', id_field: 'alarmId' });
  });

  it('sends people to the page of its first world', async () => {
    const answer = await fetch(sandbox.url, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/worlds/demo/page']);
  });

  it('documents all of its endpoints', async () => {
    expect((await fetch(`${sandbox.url}/docs`)).status).toBe(200);
    const { paths } = (await (await fetch(`${sandbox.url}/docs/json`)).json()) as { paths: object };
    const known = [
      '/w/{world}/alarm-api/v1/alarms',
      '/w/{world}/asset-api/v1/assets',
      '/w/{world}/auth/token',
      '/worlds',
      '/worlds/{id}',
      '/worlds/{id}/alarms/arrive',
      '/worlds/{id}/assets/delete',
      '/worlds/{id}/assets/insert',
      '/worlds/{id}/clock',
      '/worlds/{id}/faults',
      '/worlds/{id}/knobs',
      '/worlds/{id}/mark',
      '/worlds/{id}/requests',
      '/worlds/{id}/truth',
      '/worlds/{id}/truth/alarms',
      '/worlds/{id}/truth/assets',
    ];
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(known));
    // no others, but for those of a further list
    const ofLists = 4 * pagedBy('offset').length + 3 * pagedBy('cursor').length;
    expect(Object.keys(paths)).toHaveLength(9 + ofLists);
  });

  it.each(['SIGTERM', 'SIGINT', 'end of stdin'] as const)('ends cleanly at %s', async (cause) => {
    const main = fileURLToPath(new URL('main.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', main, '--json'], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const out: string[] = [];
    child.stdout.setEncoding('utf8').on('data', (text: string) => out.push(text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => out.push(text));
    await once(child.stdout, 'data');
    if (cause === 'end of stdin') child.stdin.end();
    else child.kill(cause);
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(out.join('')).toMatch(/^\{"url":"http:\/\/127\.0\.0\.1:\d+","world":\{.*\}\}\n$/);
  });
});

describe('the process for a person', () => {
  it('says where it is and what to try, and leaves a config that works', async () => {
    const main = fileURLToPath(new URL('main.ts', import.meta.url));
    const options = '--port 0 --assets 12 --alarms 34 --page-size-max 5 --seed 6'.split(' ');
    const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
    const file = join(folder, 'config.json');
    const child = spawn(process.execPath, ['--import', 'tsx', main, ...options, '--config-file', file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [text] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    const url = /running at (\S+)/.exec(text)?.[1] ?? '';
    const [, config = ''] = /is in \S+config\.json:\n(\{.*?\n\})/s.exec(text) ?? [];
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(JSON.parse(config));
    expect(JSON.parse(config)).toMatchObject({ auth_url: `${url}/w/demo/auth/token` });
    const truth = (await (await fetch(`${url}/worlds/demo/truth`)).json()) as GroundTruth;
    expect([truth.assets.count, truth.alarms.count]).toEqual([12, 34]);
    const knobs = (await (await fetch(`${url}/worlds/demo/knobs`)).json()) as Options;
    expect(knobs.alarmsMaxPageSize).toBe(5);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    await rm(folder, { recursive: true });
  });
});

describe('worlds', () => {
  it('share nothing', async () => {
    const [one, other] = [await sandbox.createScenario({}), await sandbox.createScenario({})];
    await one.insert('assets', { count: 5 });
    await one.setOptions({ assetsDefaultLimit: 7 });
    await one.advanceClock(100_000);
    const [caller, stranger] = [await createCaller(one), await createCaller(other)];
    expect((await caller.page('assets', {})).items).toHaveLength(7);
    const page = await stranger.page('assets', {});
    expect([page.items.length, page.metadata.pagination['totalCount']]).toEqual([50, 100]);
    expect((await other.requests()).endpoints.assets.count).toBe(1);
    expect(await other.mark()).toBe(0);
  });

  it('take an id, and refuse one that is taken', async () => {
    const scenario = await sandbox.createScenario({ id: 'mine', clientId: 'me', clientSecret: 'my-word' });
    expect(scenario.config).toMatchObject({ client_id: 'me', client_secret: 'my-word' });
    await createCaller(scenario);
    await expect(sandbox.createScenario({ id: 'mine' })).rejects.toThrow('409');
  });

  it('are gone once they are deleted', async () => {
    const scenario = await sandbox.createScenario({});
    await scenario.remove();
    await expect(scenario.mark()).rejects.toThrow('404');
    await expect(createCaller(scenario)).rejects.toThrow('404');
  });

  it('name a knob that does not exist, and one that is turned too far', async () => {
    const scenario = await sandbox.createScenario({});
    await expect(scenario.setOptions({ alarmsBond: 'inclusive' } as OptionsPatch)).rejects.toThrow(
      /400.*alarmsBond/,
    );
    await expect(scenario.setOptions({ products: { XY: true } } as OptionsPatch)).rejects.toThrow(/400.*XY/);
    await expect(scenario.setOptions({ alarmsEmptyPages: 2 })).rejects.toThrow(/400.*alarmsEmptyPages/);
    await expect(sandbox.createScenario({ options: { foo: 1 } as OptionsPatch })).rejects.toThrow(/400.*foo/);
  });

  it('are turned in part, and keep the rest', async () => {
    const scenario = await sandbox.createScenario({ options: { permissions: { alarms: false } } });
    const options = await scenario.setOptions({ assetsPagination: { totalCount: 'absent' } });
    expect(options.permissions).toEqual({ ...eachList(() => true), alarms: false });
    expect(options.assetsPagination).toMatchObject({ offset: 'right', totalCount: 'absent' });
  });

  it('with the same seed hold the same rows, with another one others', async () => {
    const size = { assets: 300, alarms: 700 };
    const [one, same, other] = [
      await sandbox.createScenario({ ...size, seed: 42 }),
      await sandbox.createScenario({ ...size, seed: 42 }),
      await sandbox.createScenario({ ...size, seed: 43 }),
    ];
    const truth = await one.groundTruth();
    expect(await same.groundTruth()).toEqual(truth);
    const others = await other.groundTruth();
    expect(others.alarms.digest).not.toBe(truth.alarms.digest);
    expect(others.assets.digest).not.toBe(truth.assets.digest);
    // The very rows of this seed, whatever the day: a change here changes what every test sees.
    const [first] = await linesOf(one.groundTruthRows('alarms', {}));
    expect(first).toContain('"createdDate":"2025-01-01T');
  });

  it('of a million rows are there at once, and answer anywhere', async () => {
    const size = { assets: 1_000_000, alarms: 1_000_000 };
    const scenario = await sandbox.createScenario({ ...size, options: { alarmsMaxPageSize: 1000 } });
    const caller = await createCaller(scenario);
    const end = await caller.page('assets', { limit: 10, offset: 999_999 });
    expect([end.items.length, end.metadata.pagination['totalCount']]).toEqual([1, 1_000_000]);
    const lastDay = await caller.chain({ createdSince: '2025-12-31T00:00:00Z' });
    const aDay = 1_000_000 / 365;
    expect(Math.abs(column(lastDay, 'alarmId').length - aDay)).toBeLessThan(10);
    const mark = await scenario.mark();
    await scenario.arrive('alarms', { count: 5000, createdAt: '2025-06-01T00:00:00Z' });
    expect(await linesOf(scenario.groundTruthRows('alarms', { after: mark }))).toHaveLength(5000);
  });
});
