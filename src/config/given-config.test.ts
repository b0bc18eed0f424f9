// configs as people, shells and platforms hand them over
import { createReadStream } from 'node:fs';
import { expect, test } from 'vitest';
import { loadConfig } from './config.ts';
import { temporaryFile } from './temporary-file.test-support.ts';

const SECRET = 'canary-secret-0123456789';
const CONFIG = {
  auth_url: 'https://auth.fleet.example/token',
  client_id: 'me',
  client_secret: SECRET,
  assets: { base_url: 'https://assets.fleet.example' },
};

/** Why a config at this path is refused, without the path. */
async function refusalAt(path: string): Promise<string> {
  const error: unknown = await loadConfig(path, createReadStream, {}).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Error);
  const { message } = error as Error;
  expect(message).not.toContain('canary');
  return message.replace(path, 'F');
}

const refusalOf = (text: string): Promise<string> => refusalAt(temporaryFile(text));

test.each([
  ['connectionConfiguration', { name: 'fleet', connectionConfiguration: CONFIG }],
  ['control.connectorConfig.config', { type: 'CONTROL', control: { connectorConfig: { config: CONFIG } } }],
  ['[0]', [CONFIG]],
  ['data[1].configuration', { data: [{ name: 'other' }, { configuration: CONFIG }] }],
])('a config inside %s is found, and the message says where', async (place, document) => {
  expect(await refusalOf(JSON.stringify(document))).toBe(
    `config F: the config is inside "${place}"; save that object alone.`,
  );
});

test('a config that was encoded twice is read', async () => {
  const file = temporaryFile(JSON.stringify(JSON.stringify(CONFIG)));
  expect((await loadConfig(file, createReadStream, {})).config.client_id).toBe('me');
});

test.each([
  'AUTH_URL=x\n',
  'auth_url = "x"\n[assets]\n',
  '<html></html>',
  'eyJhdXRoX3VybCI6',
  'version https://x\n',
])('%j is in another format, and the message says so', async (text) => {
  expect(await refusalOf(text)).toBe(
    'config F: is not valid JSON at line 1, column 1: the file must be JSON, which begins with { or [; this is something else.',
  );
});

test.each([
  JSON.stringify(CONFIG),
  JSON.stringify(CONFIG, null, 2),
  `'{auth_url:`,
  `{client_secret:${SECRET}}`,
])('a document in place of its path is not repeated: %j', async (document) => {
  expect(await refusalAt(document)).toBe(
    '--config takes the path of a file, not a document. Write the document to a file, and pass its path; for stdin, -.',
  );
});

test('a key that contains its value, as YAML makes it of a missing blank, is shown up to there', async () => {
  const { client_secret: _, ...others } = CONFIG;
  expect(await refusalOf(JSON.stringify({ ...others, [`client_secret:${SECRET}`]: null }))).toMatch(
    /"client_secret" is missing .* Unknown keys: "client_secret…"\.$/,
  );
});

test('the scheme of an address may be in any case', async () => {
  const written = {
    ...CONFIG,
    auth_url: 'Https://auth.example/T',
    assets: { base_url: 'HTTP://127.0.0.1:9100' },
  };
  const { config, document } = await loadConfig(temporaryFile(JSON.stringify(written)), createReadStream, {});
  expect(config).toMatchObject({
    auth_url: 'https://auth.example/T',
    assets: { base_url: 'http://127.0.0.1:9100' },
  });
  expect(document).toStrictEqual(written);
  expect(await refusalOf(JSON.stringify({ ...CONFIG, auth_url: 'HTTP://auth.example' }))).toContain(
    '"auth_url" must start with https://',
  );
});
