import { afterEach, expect, test, vi } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { temporaryFile } from '../config/temporary-file.test-support.ts';
import { isConnectorError } from '../errors.ts';
import { runAbout } from './about.ts';
import { collect } from './fake-service.test-support.ts';

afterEach(() => vi.unstubAllEnvs());

async function about(config: string | null): Promise<string> {
  const { environment, output } = collect();
  expect(await runAbout({ config }, environment)).toBe(0);
  return output();
}

test('names the version, Node.js and the platform', async () => {
  vi.stubEnv('HTTPS_PROXY', 'http://user:canary@proxy.example');
  const text = await about(null);
  expect(text).toContain(`source-trailer-data ${packageJson.version}\nNode.js ${process.version}\n`);
  expect(text).toContain(process.arch);
  expect(text).toMatch(/^environment: .*HTTPS_PROXY/m);
  expect(text).not.toContain('canary');
});

test('shows what the schema describes, and no secret, wherever it stands', async () => {
  vi.stubEnv('SOURCE_TRAILER_DATA_CLIENT_SECRET', 'from-the-environment');
  const config = {
    auth_url: 'https://me:canary-1@auth.example/token?key=canary-2',
    client_id: 'my-integration',
    client_secret: 'canary-3',
    clientSecret: 'canary-4',
    _comment: ['canary-5'],
    token: { kind: 'scoped', scopes: ['AMAPI'], secret: 'canary-6' },
    token_cache: '{"tokens": "canary-7"}',
    assets: { base_url: 'https://assets.example/canary-3', page_size: 500, min_rows: null },
    lists: [
      { paging: 'cursor', name: 'trips', base_url: 'https://from-the-environment.example', id_field: true },
      'canary-8',
    ],
    sample_rows: 0,
  };
  const text = await about(temporaryFile(JSON.stringify(config)));
  expect(text).not.toMatch(/canary|from-the-environment/);
  expect(JSON.parse(text.slice(text.indexOf('{')))).toStrictEqual({
    auth_url: 'https://******@auth.example/token?******',
    client_id: 'my-integration',
    client_secret: '******',
    clientSecret: '******',
    _comment: ['******'],
    token: { kind: 'scoped', scopes: ['AMAPI'], secret: '******' },
    token_cache: '******',
    assets: { base_url: 'https://assets.example/******', page_size: 500, min_rows: null },
    lists: [
      { paging: 'cursor', name: 'trips', base_url: 'https://******.example', id_field: true },
      '******',
    ],
    sample_rows: 0,
  });
});

test('a config that is no JSON is an error, after the rest was printed', async () => {
  const { environment, output } = collect();
  const error: unknown = await runAbout({ config: temporaryFile('{') }, environment).catch(
    (reason) => reason,
  );
  expect(isConnectorError(error, 'CONFIG_INVALID')).toBe(true);
  expect(output()).toContain('Node.js');
});
