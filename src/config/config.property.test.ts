import { Readable } from 'node:stream';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isConnectorError } from '../errors.ts';
import { runs } from '../property-runs.test-support.ts';
import { listsIn, loadConfig, type LoadedConfig } from './config.ts';
import { nearValid, withSlip } from './near-valid.test-support.ts';

const SECRET = 'canary-secret-0123456789';
const LEAST = { auth_url: 'https://auth.fleet.example/token', client_id: 'me', client_secret: SECRET };
const DOCUMENTS = [
  { ...LEAST, assets: { base_url: 'https://assets.fleet.example' } },
  {
    ...LEAST,
    token: { kind: 'scoped', scopes: ['AMAPI', 'UMAPI'] },
    assets: { base_url: 'http://127.0.0.1:8080/a', audience: 'X', page_size: 100 },
    alarms: {
      base_url: 'https://alarms.fleet.example/trailers/',
      audience: 'UMAPI',
      page_size: 25,
      start_date: '2026-01-01T00:00:00Z',
      end_date: '2026-02-01T00:00:00.5+01:00',
      created_field: 'createdDate',
      id_field: 'alarmId',
      lookback_seconds: 300,
      parallel_chains: 4,
    },
    lists: [
      {
        paging: 'offset',
        name: 'drivers',
        base_url: 'https://drivers.fleet.example',
        path: '/v1/drivers',
        id_field: 'driverId',
        audience: 'UMAPI',
        page_size: 100,
      },
      {
        paging: 'cursor',
        name: 'trips',
        base_url: 'https://trips.fleet.example',
        path: '/v1/trips',
        created_field: 'startedAt',
        start_date: '2026-01-01T00:00:00Z',
        lookback_seconds: 0,
      },
    ],
    concurrency: 8,
    sample_rows: 10,
    max_requests_per_minute: 60,
    allow_http: true,
  },
];
const numRuns = runs(900);
const PATH = 'config.json';

/** Loads a config from a file that holds this. */
function load(bytes: Buffer): Promise<LoadedConfig> {
  return loadConfig(PATH, () => Readable.from([bytes]), {});
}

/** The message with which a config is rejected, or null; rethrows any other error. */
async function refusal(bytes: Buffer): Promise<string | null> {
  try {
    const { config } = await load(bytes);
    for (const { settings } of listsIn(config)) expect(URL.canParse(settings.base_url)).toBe(true);
    expect(URL.canParse(config.auth_url)).toBe(true);
    expect(new Set(listsIn(config).map(({ name }) => name)).size).toBe(listsIn(config).length);
    return null;
  } catch (error) {
    if (!isConnectorError(error, 'CONFIG_INVALID')) throw error;
    expect(error.message.startsWith(`config ${PATH}: `)).toBe(true);
    return error.message.slice(`config ${PATH}: `.length);
  }
}

test('any config file results in an error that names the file and the place, or in a usable config', async () => {
  const property = fc.asyncProperty(nearValid(DOCUMENTS), async (bytes) => {
    const message = await refusal(bytes);
    if (message === null) return;
    // a place in the text, a path in the document, or the whole of it
    expect(message).toMatch(
      /line \d+, column \d+|^is empty|UTF-8|the document must|assets|alarms|lists|_|token|concurrency/,
    );
    expect(message).not.toContain('canary');
    expect(message.length).toBeLessThan(3000);
  });
  await fc.assert(property, { numRuns });
});

test('a misspelled key is reported, as missing or as unknown', async () => {
  const property = fc.asyncProperty(withSlip(DOCUMENTS), async ({ document, name }) => {
    const bytes = Buffer.from(JSON.stringify(document));
    const message = await refusal(bytes);
    if (message !== null) expect(message).toMatch(/is missing|must contain|no stream is configured/);
    else if (JSON.stringify(DOCUMENTS).includes(JSON.stringify(document))) return;
    else expect((await load(bytes)).unknownKeys, name).not.toStrictEqual([]);
  });
  await fc.assert(property, { numRuns });
});
