import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Scenario } from '../../sandbox/client.ts';
import { createRandom } from '../../sandbox/data/random.ts';

const SEED = 20;
/** Rows that come in, or go, between two requests at most. */
const MOST = 5;

/** Stands before the assets of a scenario and changes the list at random before each request: for all readers alike. */
export async function moveBeforeRequests(scenario: Scenario) {
  const random = createRandom(SEED);
  const answer = async (path: string, authorization: string): Promise<Response> => {
    const count = 1 + random.below(MOST);
    if (random.once(2)) await scenario.insert('assets', { count });
    else await scenario.delete('assets', { count, at: 'random' });
    const headers = { authorization, accept: 'application/json' };
    return fetch(`${scenario.config.assets.base_url}${path}`, { headers });
  };
  // one request after the other, so that the order of changes does not depend on who asks at the same time
  let before: Promise<unknown> = Promise.resolve();
  const server = createServer(({ url = '', headers }, response) => {
    const answered = before.then(() => answer(url, headers.authorization ?? ''));
    before = answered.catch(() => undefined);
    answered
      .then(async (right) =>
        response.writeHead(right.status, { 'content-type': 'application/json' }).end(await right.text()),
      )
      .catch((error: unknown) => response.writeHead(502).end(String(error)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
}
