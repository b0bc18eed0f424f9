import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createRandom } from '../../sandbox/data/random.ts';
import type { Scenario } from '../../sandbox/client.ts';

const SEED = 20;
/** Rows that come in, or go, between two requests at most. */
const MOST = 5;

/** Stands before the assets of a scenario and changes the list at random before each request: for all readers alike. */
export async function moveBeforeRequests(
  scenario: Scenario,
): Promise<{ readonly baseUrl: string; readonly close: () => Promise<void> }> {
  const random = createRandom(SEED);
  const move = async (): Promise<void> => {
    const count = 1 + random.below(MOST);
    if (random.once(2)) await scenario.insert('assets', { count });
    else await scenario.delete('assets', { count, at: 'random' });
  };
  // one request after the other, so that the order of changes does not depend on who asks at the same time
  let before: Promise<unknown> = Promise.resolve();
  const server = createServer((request, response) => {
    const { authorization = '' } = request.headers;
    const answer = before.then(move).then(async () => {
      const headers = { authorization, accept: 'application/json' };
      return fetch(`${scenario.config.assets.base_url}${request.url}`, { headers });
    });
    before = answer.catch(() => undefined);
    void answer.then(
      async (right) =>
        response.writeHead(right.status, { 'content-type': 'application/json' }).end(await right.text()),
      (error: unknown) => response.writeHead(502).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
