import { expect, test } from 'vitest';
import { temporaryDirectory, temporaryFile } from '../config/temporary-file.test-support.ts';
import { runDiscover } from './discover.ts';
import { collect, startService, type FakeService } from './fake-service.test-support.ts';

function configFor({ address }: FakeService, sample_rows: number): string {
  return temporaryFile(
    JSON.stringify({
      auth_url: `${address}/token`,
      client_id: 'me',
      client_secret: 'canary-secret',
      assets: { base_url: address },
      sample_rows,
    }),
  );
}

const PAGE = '{"items":[{"assetId":"a","axles":3}],"metadata":{"pagination":{}}}';
const NO_ROWS = '{"items":[],"metadata":{"pagination":{}}}';

test('the catalog lists the configured streams with the fields of sampled rows', async () => {
  const pages = [PAGE];
  const service = await startService({ assets: (response) => response.end(pages.shift() ?? NO_ROWS) });
  const { environment, messages } = collect();
  expect(
    await runDiscover(
      { config: configFor(service, 5), tokenCache: temporaryDirectory(), verbose: false },
      environment,
    ),
  ).toBe(0);
  expect(messages()).toMatchObject([
    {
      type: 'CATALOG',
      catalog: { streams: [{ name: 'assets', json_schema: { properties: { axles: {}, vin: {} } } }] },
    },
  ]);
});

test('verbose: the requests and the token are logged', async () => {
  const service = await startService({ assets: (response) => response.end(NO_ROWS) });
  const { environment, messages } = collect();
  const options = { config: configFor(service, 5), tokenCache: temporaryDirectory(), verbose: true };
  await runDiscover(options, environment);
  const logs = messages().flatMap(({ log }) =>
    log === undefined ? [] : [(log as { message: string }).message],
  );
  expect(logs).toStrictEqual([
    expect.stringMatching(/^token for audience API: newly issued, valid until /),
    expect.stringMatching(/^GET \S+\/v1\/assets\?limit=3&offset=0: 0 rows \(\d+ ms\)$/),
  ]);
});

test('without sample rows no request is sent', async () => {
  const service = await startService({});
  const { environment, messages } = collect();
  expect(
    await runDiscover(
      { config: configFor(service, 0), tokenCache: temporaryDirectory(), verbose: false },
      environment,
    ),
  ).toBe(0);
  expect(service.requests).toStrictEqual([]);
  expect(messages()).toMatchObject([{ type: 'CATALOG', catalog: { streams: [{ name: 'assets' }] } }]);
  expect(messages()[0]).not.toHaveProperty('catalog.streams.0.json_schema.properties.axles');
});

test('a list that cannot be sampled is a failure, not a smaller schema', async () => {
  const service = await startService({ assets: (response) => response.writeHead(403).end() });
  const { environment, messages } = collect();
  await expect(
    runDiscover(
      { config: configFor(service, 5), tokenCache: temporaryDirectory(), verbose: false },
      environment,
    ),
  ).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(messages()).toStrictEqual([]);
});

test('a sample may be a single row', async () => {
  const service = await startService({ assets: (response) => response.end(PAGE) });
  const { environment, messages } = collect();
  await runDiscover(
    { config: configFor(service, 1), tokenCache: temporaryDirectory(), verbose: false },
    environment,
  );
  expect(messages()[0]).toHaveProperty('catalog.streams.0.json_schema.properties.axles');
});
