import { expect, test } from 'vitest';
import { temporaryDirectory } from '../config/temporary-file.test-support.ts';
import { runDiscover } from './discover.ts';
import { collect, configFile, startService, type FakeService } from './fake-service.test-support.ts';

/** Runs discover with so many sampled rows of assets. */
async function discover(service: FakeService, sample_rows: number, verbose: boolean) {
  const { environment, messages } = collect();
  const config = configFile(service, { assets: { base_url: service.address }, sample_rows });
  const exitCode = await runDiscover({ config, tokenCache: temporaryDirectory(), verbose }, environment);
  expect(exitCode).toBe(0);
  return messages();
}

const PAGE = '{"items":[{"assetId":"a","axles":3}],"metadata":{"pagination":{}}}';
const NO_ROWS = '{"items":[],"metadata":{"pagination":{}}}';

test('the catalog lists the configured streams with the fields of sampled rows', async () => {
  const pages = [PAGE];
  const service = await startService({ assets: (response) => response.end(pages.shift() ?? NO_ROWS) });
  expect(await discover(service, 5, false)).toMatchObject([
    {
      type: 'CATALOG',
      catalog: { streams: [{ name: 'assets', json_schema: { properties: { axles: {}, vin: {} } } }] },
    },
  ]);
});

test('verbose: the requests and the token are logged', async () => {
  const service = await startService({ assets: (response) => response.end(NO_ROWS) });
  const logs = (await discover(service, 5, true)).flatMap(({ log }) =>
    log === undefined ? [] : [(log as { message: string }).message],
  );
  expect(logs).toStrictEqual([
    expect.stringMatching(/^token for audience "API": newly issued, valid until /),
    expect.stringMatching(/^GET \S+\/v1\/assets\?limit=3&offset=0: 0 rows \(\d+ ms\)$/),
  ]);
});

test('without sample rows no request is sent', async () => {
  const service = await startService({});
  const messages = await discover(service, 0, false);
  expect(service.requests).toStrictEqual([]);
  expect(messages).toMatchObject([{ type: 'CATALOG', catalog: { streams: [{ name: 'assets' }] } }]);
  expect(messages[0]).not.toHaveProperty('catalog.streams.0.json_schema.properties.axles');
});

test('a list that cannot be sampled is a failure, not a smaller schema', async () => {
  const service = await startService({ assets: (response) => response.writeHead(403).end() });
  const { environment, messages } = collect();
  const config = configFile(service, { assets: { base_url: service.address }, sample_rows: 5 });
  await expect(
    runDiscover({ config, tokenCache: temporaryDirectory(), verbose: false }, environment),
  ).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(messages()).toStrictEqual([]);
});

test('a sample may be a single row', async () => {
  const service = await startService({ assets: (response) => response.end(PAGE) });
  expect((await discover(service, 1, false))[0]).toHaveProperty(
    'catalog.streams.0.json_schema.properties.axles',
  );
});
