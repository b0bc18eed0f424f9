import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../../src/config/temporary-file.test-support.ts';
import { outline, start } from '../process/process-fixture.ts';

const VARIABLE = 'SOURCE_TRAILER_DATA_CLIENT_SECRET';
const PAGE = '{"items":[{"assetId":"a"}],"metadata":{"pagination":{"offset":0,"totalCount":1}}}';

/** A service whose first token opens one page, and that calls `onToken` with each secret before it responds. */
async function startService(onToken: (secret: string) => void) {
  const secrets: string[] = [];
  let pages = 0;
  const respond = (request: IncomingMessage, response: ServerResponse, body: string): void => {
    if (request.method === 'POST') {
      const { clientSecret } = JSON.parse(body) as { clientSecret: string };
      secrets.push(clientSecret);
      onToken(clientSecret);
      if (request.url?.startsWith('/refused') === true) {
        const echo = clientSecret.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
        response.writeHead(401).end(`<!doctype html><html><p>${request.url} did not take ${echo}</html>`);
        return;
      }
      response.end(`{"accessToken":"canary-token-${secrets.length}","expiresIn":3600}`);
      return;
    }
    const isLatest = request.headers.authorization?.endsWith(`-${secrets.length}`) === true;
    // the first token opens only one page
    const isAccepted = isLatest && (secrets.length > 1 || pages === 0);
    if (isAccepted) pages++;
    // echoes what must not be shown
    if (isAccepted) response.end(PAGE);
    else response.writeHead(401).end(JSON.stringify({ message: `no, ${secrets.join()}` }));
  };
  const server = createServer((request, response) => {
    void text(request).then((body) => respond(request, response, body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = { auth_url: `${base_url}/token`, client_id: 'me', assets: { base_url } };
  return { config, secrets };
}

const unused = (): void => undefined;

test('the secret comes from the environment if the config has none', async () => {
  const { config, secrets } = await startService(unused);
  const env = { [VARIABLE]: 'canary-secret' };
  const empty = [undefined, '', null];
  for (const client_secret of empty) {
    const { ended } = await start('check', { ...config, client_secret }, { env });
    const { stdout, messages } = await ended();
    expect(stdout).toContain('"status":"SUCCEEDED"');
    expect(outline(messages)).toStrictEqual(['CONNECTION_STATUS']);
    expect(stdout).not.toContain('canary');
  }
  await (await start('check', { ...config, client_secret: 'canary-config' }, { env })).ended();
  expect(secrets).toStrictEqual([...empty.map(() => 'canary-secret'), 'canary-config']);
});

test('the file of the secret is read again for each token, and neither secret is shown', async () => {
  const file = join(temporaryDirectory(), 'secret');
  const { config, secrets } = await startService(() => writeFileSync(file, 'canary-rotated\n'));
  writeFileSync(file, 'canary-first\r\n');
  const { ended } = await start('read --verbose', config, { env: { [`${VARIABLE}_FILE`]: file } });
  const { code, stdout } = await ended();
  expect([code, secrets]).toStrictEqual([0, ['canary-first', 'canary-rotated']]);
  expect(stdout).not.toContain('canary');
});

test('while the file is missing for a moment, the secret that is known is used', async () => {
  const file = join(temporaryDirectory(), 'secret');
  const { config, secrets } = await startService(() => rmSync(file, { force: true }));
  writeFileSync(file, 'canary-first');
  const { ended } = await start('read', config, { env: { [`${VARIABLE}_FILE`]: file } });
  expect((await ended()).code).toBe(0);
  expect(secrets).toStrictEqual(['canary-first', 'canary-first']);
});

test('a file that cannot be read is a config_error that does not show the value of the variable', async () => {
  const { config } = await startService(unused);
  const env = { [`${VARIABLE}_FILE`]: 'canary-secret' };
  const { ended } = await start('read', config, { env });
  const { code, messages } = await ended();
  expect([code, outline(messages)]).toStrictEqual([
    1,
    [
      `config_error: ${VARIABLE}_FILE: there is no such file. Set it to the path of a file that contains the secret; its value is not shown, ` +
        'because it may be the secret itself.',
    ],
  ]);
});

test('a refusal names the variable that the secret is from; line ends do not belong to it', async () => {
  const { config, secrets } = await startService(unused);
  const file = join(temporaryDirectory(), 'secret');
  writeFileSync(file, 'canary-secret\n');
  const auth_url = `${config.assets.base_url}/refused`;
  for (const [name, value] of [
    [VARIABLE, 'canary-secret\n'],
    [`${VARIABLE}_FILE`, file],
  ] as const) {
    const { ended } = await start('check', { ...config, auth_url }, { env: { [name]: value } });
    expect((await ended()).stdout).toMatch(new RegExp(`Check client_id, client_secret \\(from ${name}\\)`));
  }
  expect(secrets).toStrictEqual(['canary-secret', 'canary-secret']);
});

test('only what is secret is masked, also in HTML, and a line of settings in the file of the secret is named as such', async () => {
  const { config, secrets } = await startService(unused);
  const file = join(temporaryDirectory(), 'secret');
  writeFileSync(file, 'CLIENT_SECRET=canary&pa<ss\n');
  const query = '?scope=fleet.read&audience=API&api_key=canary-key';
  const auth_url = `${config.assets.base_url}/refused${query}`;
  const env = { [`${VARIABLE}_FILE`]: file };
  const { ended } = await start('check', { ...config, auth_url }, { env });
  const { stdout } = await ended();
  expect(stdout).toContain(
    'The server says: /refused?scope=fleet.read&audience=API&api_key=****** did not take CLIENT_SECRET=******',
  );
  expect(stdout).toContain(
    `client_secret (from ${VARIABLE}_FILE) has a name in it, like a file of settings: was only the value meant?`,
  );
  expect(stdout).not.toMatch(/canary|pa<ss|pa&lt;ss/);
  expect(secrets).toStrictEqual(['CLIENT_SECRET=canary&pa<ss']);
});
