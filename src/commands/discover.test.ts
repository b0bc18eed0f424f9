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
    await runDiscover({ config: configFor(service, 5), tokenCache: temporaryDirectory() }, environment),
  ).toBe(0);
  expect(messages()).toMatchObject([
    {
      type: 'CATALOG',
      catalog: { streams: [{ name: 'assets', json_schema: { properties: { axles: {}, vin: {} } } }] },
    },
  ]);
});

test('without sample rows no request is sent', async () => {
  const service = await startService({});
  const { environment, messages } = collect();
  expect(
    await runDiscover({ config: configFor(service, 0), tokenCache: temporaryDirectory() }, environment),
  ).toBe(0);
  expect(service.requests).toStrictEqual([]);
  expect(messages()).toMatchObject([{ type: 'CATALOG', catalog: { streams: [{ name: 'assets' }] } }]);
  expect(messages()[0]).not.toHaveProperty('catalog.streams.0.json_schema.properties.axles');
});

test('a list that cannot be sampled is a failure, not a smaller schema', async () => {
  const service = await startService({ assets: (response) => response.writeHead(403).end() });
  const { environment, messages } = collect();
  await expect(
    runDiscover({ config: configFor(service, 5), tokenCache: temporaryDirectory() }, environment),
  ).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(messages()).toStrictEqual([]);
});

test('a sample may be a single row', async () => {
  const service = await startService({ assets: (response) => response.end(PAGE) });
  const { environment, messages } = collect();
  await runDiscover({ config: configFor(service, 1), tokenCache: temporaryDirectory() }, environment);
  expect(messages()[0]).toHaveProperty('catalog.streams.0.json_schema.properties.axles');
});
