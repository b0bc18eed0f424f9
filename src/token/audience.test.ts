import { expect, test } from 'vitest';

import type { Config } from '../config/config.ts';
import { describeScope, tokenScope } from './audience.ts';

function config(token: Config['token'], alarmsAudience: string): Config {
  return {
    auth_url: 'https://auth.fleet.example',
    client_id: 'me',
    client_secret: 'secret',
    token,
    assets: { base_url: 'https://a.fleet.example', audience: 'AMAPI', page_size: 500 },
    alarms: {
      base_url: 'https://b.fleet.example',
      audience: alarmsAudience,
      created_field: 'createdDate',
      lookback_seconds: 300,
      parallel_chains: 1,
    },
    concurrency: 4,
    sample_rows: 1000,
    allow_http: false,
  };
}

test('each kind of token asks for its audience and scopes (API document 5.4)', () => {
  const general = config({ kind: 'general' }, 'X');
  expect(tokenScope(general, 'assets')).toStrictEqual({ audience: 'API', scopes: null });
  expect(tokenScope(general, 'alarms')).toStrictEqual(tokenScope(general, 'assets'));
  const scoped = config({ kind: 'scoped', scopes: ['AMAPI', 'UMAPI'] }, 'X');
  expect(tokenScope(scoped, 'alarms')).toStrictEqual({ audience: 'API', scopes: ['AMAPI', 'UMAPI'] });
  const byModule = config({ kind: 'module' }, 'X');
  expect(tokenScope(byModule, 'assets')).toStrictEqual({ audience: 'AMAPI', scopes: null });
  expect(tokenScope(byModule, 'alarms')).toStrictEqual({ audience: 'X', scopes: null });
});

test('a scope in words', () => {
  expect(describeScope({ audience: 'AMAPI', scopes: null })).toBe('AMAPI');
  expect(describeScope({ audience: 'API', scopes: ['AMAPI', 'UMAPI'] })).toBe('API limited to AMAPI, UMAPI');
});
