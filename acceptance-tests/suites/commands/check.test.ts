import { describe, expect, test } from 'vitest';
import type { OptionsPatch } from '../../sandbox/client.ts';
import { errors, verdict } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';

const bed = useTestBed();

describe.concurrent('a check that succeeds', () => {
  test.concurrent('says so for each stream, and asks each for one row', async () => {
    const world = await bed.world({ assets: 1234, alarms: 10 });
    // whether id_field is a key one row cannot show
    const { id_field: _left, ...alarms } = world.config.alarms;
    const run = await world.run('check', { config: { ...world.config, alarms } });
    expect(run.code).toBe(0);
    expect(verdict(run)).toStrictEqual({
      status: 'SUCCEEDED',
      lines: ['assets: ok (1,234 rows)', 'alarms: ok'],
    });
    const { last } = await world.requests();
    const lists = last.filter(({ endpoint }) => endpoint !== 'token');
    expect(lists.map(({ endpoint, rows }) => `${endpoint} ${rows}`).toSorted()).toStrictEqual([
      'alarms 1',
      'assets 1',
    ]);
    expect(lists.map(({ query }) => query['limit'])).toStrictEqual(['1', '1']);
    expect(await world.tokenRequests()).toHaveLength(1);
  });

  test.concurrent('is content with empty lists', async () => {
    const world = await bed.world({ assets: 0, alarms: 0 });
    expect(verdict(await world.run('check', {}))).toStrictEqual({
      status: 'SUCCEEDED',
      lines: ['assets: ok (0 rows)', 'alarms: ok'],
    });
  });

  test.concurrent.each(['assets', 'alarms'] as const)(
    'looks at %s alone if nothing else is configured',
    async (stream) => {
      const world = await bed.world({});
      const { auth_url, client_id, client_secret, [stream]: list } = world.config;
      const run = await world.run('check', {
        config: { auth_url, client_id, client_secret, [stream]: list },
      });
      expect(verdict(run).status).toBe('SUCCEEDED');
      expect(verdict(run).lines).toHaveLength(1);
      expect(verdict(run).lines[0]).toMatch(new RegExp(`^${stream}: ok`));
    },
  );
});

describe.concurrent('a check that fails says what to do, and exits with 0', () => {
  test.concurrent.each<[string, OptionsPatch, RegExp[]]>([
    [
      'a missing permission',
      { permissions: { alarms: false } },
      [/^assets: ok/, /^alarms: permission missing or product not bought.*privileged user/],
    ],
    [
      'a product that is not bought',
      { products: { AMAPI: false } },
      [/^assets: permission missing or product not bought/, /^alarms: ok/],
    ],
    [
      'nothing at all',
      { permissions: { assets: false, alarms: false } },
      [/^assets: permission missing/, /^alarms: permission missing/],
    ],
  ])('%s', async (_, options, lines) => {
    const world = await bed.world({ options });
    const run = await world.run('check', {});
    expect(run.code).toBe(0);
    expect(errors(run)).toStrictEqual([]);
    expect(verdict(run).status).toBe('FAILED');
    expect(verdict(run).lines).toHaveLength(lines.length);
    for (const [index, line] of lines.entries()) expect(verdict(run).lines[index]).toMatch(line);
  });

  test.concurrent('a wrong secret: client_id and audience are named, once', async () => {
    const world = await bed.world({});
    const run = await world.run('check', { config: { ...world.config, client_secret: 'not-the-one' } });
    expect(run.code).toBe(0);
    expect(verdict(run).status).toBe('FAILED');
    expect(verdict(run).lines).toHaveLength(1);
    expect(verdict(run).lines[0]).toMatch(/refused \(401\).*sandbox-client.*API/);
    expect(await world.tokenRequests()).toHaveLength(1);
  });

  test.concurrent('a wrong base_url', async () => {
    const world = await bed.world({});
    const alarms = { ...world.config.alarms, base_url: `${world.config.alarms.base_url}/wrong` };
    const run = await world.run('check', { config: { ...world.config, alarms } });
    expect(verdict(run).status).toBe('FAILED');
    expect(verdict(run).lines[0]).toMatch(/^assets: ok/);
    expect(verdict(run).lines[1]).toMatch(/404.*alarms\.base_url is probably wrong/);
  });

  test.concurrent('a wrong auth_url', async () => {
    const world = await bed.world({});
    const run = await world.run('check', {
      config: { ...world.config, auth_url: `${world.config.auth_url}/wrong` },
    });
    expect(verdict(run).status).toBe('FAILED');
    expect(verdict(run).lines.join()).toMatch(/auth_url: status 404.*address is probably wrong/);
  });

  test.concurrent('a scoped token that leaves out a module', async () => {
    const world = await bed.world({});
    const run = await world.run('check', {
      config: { ...world.config, token: { kind: 'scoped', scopes: ['AMAPI'] } },
    });
    expect(verdict(run).status).toBe('FAILED');
    expect(verdict(run).lines[0]).toMatch(/^assets: ok/);
    expect(verdict(run).lines[1]).toMatch(/^alarms: .*403/);
  });

  test.concurrent('a config that is not valid', async () => {
    const world = await bed.world({});
    const { client_id: _left, ...config } = world.config;
    const run = await world.run('check', { config });
    expect(run.code).toBe(0);
    expect(verdict(run).status).toBe('FAILED');
    expect(verdict(run).lines[0]).toMatch(/config\.json: client_id is missing/);
  });
});
