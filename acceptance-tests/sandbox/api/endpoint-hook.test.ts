import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type Server } from '../server.ts';
import type { SandboxWorld } from '../worlds/world.ts';

let server: Server;
beforeAll(async () => {
  server = await startServer(0);
});
afterAll(() => server.close());

function create(): SandboxWorld {
  const world = server.worlds.create({});
  if (world === undefined) throw new Error('no free id');
  return world;
}

function ask(world: SandboxWorld): Promise<Response> {
  return fetch(`${world.config(server.url).assets.base_url}/v1/assets`);
}

it('a hook may answer in the place of an endpoint', async () => {
  const world = create();
  world.hooks.assets = {
    before: async () => ({ status: 503, headers: { 'x-a': 'b' }, body: 'busy', rows: 0 }),
  };
  const answer = await ask(world);
  expect([answer.status, answer.headers.get('x-a'), await answer.text()]).toEqual([503, 'b', 'busy']);
  expect(world.log.read(1).last).toMatchObject([{ status: 503 }]);
});

it('a hook may change an answer, or cut the connection, which is logged as status 0', async () => {
  const world = create();
  world.hooks.assets = {
    around: async (_call, answer, deliver) => deliver({ ...answer, body: answer.body.slice(0, 5) }),
  };
  const changed = await ask(world);
  expect([changed.status, await changed.text()]).toEqual([401, '{"typ']);
  world.hooks.assets = {
    around: async ({ response }) => {
      response.destroy();
    },
  };
  await expect(ask(world)).rejects.toThrow('fetch failed');
  expect(world.log.read(1).last).toMatchObject([{ status: 0 }]);
  expect((await ask(create())).status).toBe(401);
});
