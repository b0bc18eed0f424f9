import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../src/config/temporary-file.test-support.ts';
import { truthTexts } from '../support/compare-rows.ts';
import type { OptionsPatch } from './client.ts';
import { eachList, listNames, pagedBy } from './lists.ts';
import { createdOf, useSandbox } from './test-calls.ts';

const { url, open } = useSandbox();
const main = fileURLToPath(new URL('main.ts', import.meta.url));
const start = (args: string[]) => spawn(process.execPath, ['--import', 'tsx', main, ...args]);
const get = async (address: string): Promise<unknown> => (await fetch(address)).json();
const idsOf = (rows: Record<string, unknown>[]) => rows.map((row) => String(row['assetId']));

describe('the process', () => {
  it('redirects to the page of its first world and documents all endpoints', async () => {
    expect((await fetch(url(), { redirect: 'manual' })).headers.get('location')).toBe('/worlds/demo/page');
    expect((await fetch(`${url()}/docs`)).status).toBe(200);
    const { paths } = (await get(`${url()}/docs/json`)) as { paths: object };
    const known =
      'clock faults knobs mark requests truth verdict alarms/arrive assets/delete assets/insert truth/alarms truth/assets';
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining([
        ...['alarm-api/v1/alarms', 'asset-api/v1/assets', 'auth/token'].map((path) => `/w/{world}/${path}`),
        '/worlds',
        '/worlds/{id}',
        ...known.split(' ').map((path) => `/worlds/{id}/${path}`),
      ]),
    );
    // no others except those of further lists
    expect(Object.keys(paths)).toHaveLength(10 + 4 * pagedBy('offset').length + 3 * pagedBy('cursor').length);
  });

  it.each(['end of stdin', 'SIGINT'] as const)('exits cleanly at %s', async (cause) => {
    const child = start(['--json']);
    const out: string[] = [];
    for (const pipe of [child.stdout, child.stderr]) pipe.on('data', (text) => out.push(String(text)));
    await once(child.stdout, 'data');
    if (cause === 'end of stdin') child.stdin.end();
    else child.kill(cause);
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(out.join('')).toMatch(/^\{"url":"http:\/\/127\.0\.0\.1:\d+"\}\n$/);
  });

  it('does not take the place of another sandbox, nor overwrite its config', async () => {
    const file = join(temporaryDirectory(), 'config.json');
    const { port } = new URL(url());
    const child = start([`--port=${port}`, `--config-file=${file}`]);
    const [said, [code]] = await Promise.all([textOf(child.stderr), once(child, 'exit')]);
    expect(said).toBe(
      `Port ${port} is taken by another sandbox, at http://127.0.0.1:${port}. Stop it, or start this one with another --port and --config-file.\n`,
    );
    expect([code, existsSync(file)]).toEqual([1, false]);
  });

  it('prints its address and commands to try, and writes a working config', async () => {
    const file = join(temporaryDirectory(), 'config.json');
    const sizes = ['--assets=12', '--alarms=34', '--page-size-max=5'];
    const child = start(['--port=0', ...sizes, `--config-file=${file}`]);
    const [printed] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    const at = /running at (\S+)/.exec(printed)?.[1] ?? '';
    const config = await readFile(file, 'utf8');
    expect(printed).toContain(`config.json:\n${config}`);
    const alarms = { audience: 'UMAPI', id_field: 'alarmId' };
    expect(JSON.parse(config)).toMatchObject({ auth_url: `${at}/w/demo/auth/token`, alarms });
    const truth = { assets: { count: 12 }, alarms: { count: 34 } };
    expect(await get(`${at}/worlds/demo/truth`)).toMatchObject(truth);
    expect(await get(`${at}/worlds/demo/knobs`)).toMatchObject({ alarmsMaxPageSize: 5 });
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});

describe('worlds', () => {
  it('accept an id and credentials, reject an id that is in use, and can be deleted', async () => {
    const { scenario, ask } = await open({ id: 'mine', clientId: 'me', clientSecret: 'my-word' });
    expect(scenario.config).toMatchObject({ client_id: 'me', client_secret: 'my-word' });
    expect((await ask({})).status).toBe(200);
    await expect(open({ id: 'mine' })).rejects.toThrow('409');
    await scenario.remove();
    await expect(scenario.mark()).rejects.toThrow('404');
    expect((await ask({})).status).toBe(404);
  });

  it.each<[object, RegExp]>([
    [{ alarmsBond: 'inclusive' }, /400.*alarmsBond/],
    [{ products: { XY: true } }, /400.*XY/],
    [{ alarmsEmptyPages: 2 }, /400.*alarmsEmptyPages/],
  ])('reject the knob %j by name', async (options, message) => {
    await expect((await open({})).scenario.setOptions(options as OptionsPatch)).rejects.toThrow(message);
    await expect(open({ options })).rejects.toThrow(message);
  });

  it('share nothing, and a change of some knobs keeps the others', async () => {
    const other = await open({});
    const { scenario } = await open({ options: { permissions: { alarms: false } } });
    const patch = { assetsLimitCap: 7, assetsPagination: { totalCount: 'null' } } as const;
    const options = await scenario.setOptions(patch);
    expect(options.permissions).toEqual({ ...eachList(() => true), alarms: false });
    expect(options.assetsPagination).toMatchObject({ offset: 'right', totalCount: 'null' });
    await scenario.insert('assets', { count: 5 });
    await scenario.advanceClock(100_000);
    await other.page('assets', 'limit=50');
    const { items, metadata } = await other.page('assets', 'limit=50');
    expect([items.length, metadata.pagination['totalCount']]).toEqual([50, 100]);
    expect((await other.scenario.requests()).endpoints.assets.count).toBe(2);
    expect(await other.scenario.mark()).toBe(0);
  });

  it('contain the same rows only for the same seed', async () => {
    const [truth, same, others] = await Promise.all(
      [42, 42, 43].map(async (seed) => {
        const { scenario } = await open({ ...eachList(() => 50), assets: 300, alarms: 700, seed });
        const counts = { assets: { count: 300 }, alarms: { count: 700 } };
        expect(await scenario.groundTruth()).toMatchObject(counts);
        return Promise.all(listNames.map((list) => truthTexts(scenario, list, {})));
      }),
    );
    expect(same).toEqual(truth);
    for (const [index, texts] of (others ?? []).entries()) expect(texts).not.toEqual(truth?.[index]);
    expect(truth?.map(({ length }) => length)).toEqual([300, 700, 50, 50, 50, 50]);
  });

  it('with a million rows respond at any position', async () => {
    const { items, truth, scenario } = await open({ assets: 1_000_000, alarms: 1_000_000 });
    expect(await items('assets', 'limit=10&offset=999999')).toHaveLength(1);
    const [first] = createdOf(await items('alarms', 'createdSince=2025-12-31T00:00:00Z'));
    expect(first).toMatch('2025-12-31T00:00');
    await scenario.arrive('alarms', { count: 5000, createdAt: '2025-06-01T00:00:00Z' });
    expect(await truth('alarms', { after: 0 })).toHaveLength(5000);
  });
});

describe('truth', () => {
  it('selects the rows that existed throughout, were inserted or existed at any time since a mark', async () => {
    const { scenario, items, truth } = await open({ assets: 50, alarms: 0 });
    const listed = async () => idsOf(await items('assets', 'limit=1000'));
    const ids = async (selection: object) => idsOf(await truth('assets', selection)).toSorted();
    await scenario.insert('assets', { count: 5 });
    await scenario.delete('assets', { count: 2 });
    const mark = await scenario.mark();
    const atMark = await listed();
    const inserted = await scenario.insert('assets', { count: 10 });
    const deleted = await scenario.delete('assets', { count: 20, at: 'random' });
    expect([inserted.length, deleted.length]).toEqual([10, 20]);
    expect(await ids({})).toEqual((await listed()).toSorted());
    expect(await ids({ since: mark })).toEqual(atMark.filter((id) => !deleted.includes(id)).toSorted());
    expect(await ids({ after: mark })).toEqual(inserted.toSorted());
    expect(await ids({ lived: mark })).toEqual([...atMark, ...inserted].toSorted());
    await expect(truth('assets', { since: 1, after: 1 })).rejects.toThrow('400');
  });
});

describe('changes of rows', () => {
  it.each(['head', 0, 17, 39, 'random'] as const)(
    'assets are inserted at the head and deleted at %s',
    async (at) => {
      const { scenario, items } = await open({ assets: 40, alarms: 0 });
      const listed = async () => idsOf(await items('assets', 'limit=1000'));
      const before = await listed();
      const all = [...(await scenario.insert('assets', { count: 3 })).toReversed(), ...before];
      expect(await listed()).toEqual(all);
      const deleted = await scenario.delete('assets', { count: 3, at });
      expect(await listed()).toEqual(all.filter((id) => !deleted.includes(id)));
      const place = at === 'head' ? 0 : at;
      if (place === 'random') expect(new Set(deleted).size).toBe(3);
      else expect(deleted.toReversed()).toEqual(all.slice(place, place + 3));
    },
  );

  it('alarms arrive by the clock of the world and never before existing ones, unless they are late', async () => {
    const { scenario, truth } = await open({ assets: 1, alarms: 10 });
    const now = Date.parse(await scenario.advanceClock(3600));
    await scenario.arrive('alarms', { count: 3, spacingMs: 1000 });
    await scenario.arrive('alarms', { count: 3, spacingMs: 100_000 });
    const times = createdOf(await truth('alarms', {}))
      .slice(10)
      .map(Date.parse);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect((times[2] ?? 0) - (times[0] ?? 0)).toBe(2000);
    expect(Math.abs((times[5] ?? 0) - now)).toBeLessThan(60_000);
    const [late] = await scenario.arrive('alarms', { count: 1, createdAt: '2025-01-01T00:00:00Z' });
    expect((await truth('alarms', {}))[0]?.['alarmId']).toBe(late);
    await expect(scenario.arrive('alarms', { count: 1, createdAt: 'noon' })).rejects.toThrow(/400.*noon/);
  });
});
