import type { FastifyInstance } from 'fastify';
import type { ScenarioOptions } from '../client-types.ts';
import type { KnobPatch } from '../knobs/knobs.ts';
import type { Worlds } from '../worlds/worlds.ts';
import {
  clearSchema,
  clockSchema,
  knobsSchema,
  markSchema,
  removalSchema,
  requestsSchema,
  turnSchema,
  worldSchema,
} from './control-schemas.ts';
import type { WorldOf } from './world-of.ts';

/** Adds the endpoints for worlds, knobs, clocks, marks and request logs. `url` is where the sandbox is reached. */
export function addWorldRoutes(
  app: FastifyInstance,
  worlds: Worlds,
  worldOf: WorldOf,
  url: () => string,
): void {
  app.post('/worlds', { schema: worldSchema }, async (request, reply) => {
    const { knobs, ...rest } = request.body as ScenarioOptions & { knobs?: KnobPatch };
    const options = knobs === undefined ? rest : { ...rest, options: knobs };
    const world = worlds.create(options);
    if (world === undefined) return reply.code(409).send({ message: `there is a world "${options.id}"` });
    return reply.code(201).send({ id: world.id, config: world.config(url()) });
  });

  app.delete('/worlds/:id', { schema: removalSchema }, async (request, reply) => {
    worlds.remove(worldOf(request).id);
    return reply.code(204).send();
  });

  app.get('/worlds/:id/knobs', { schema: knobsSchema }, (request) => worldOf(request).knobs());

  app.patch('/worlds/:id/knobs', { schema: turnSchema }, (request) =>
    worldOf(request).turn(request.body as KnobPatch),
  );

  app.post('/worlds/:id/clock', { schema: clockSchema }, (request) => {
    const { clock } = worldOf(request);
    clock.advance((request.body as { advanceSeconds: number }).advanceSeconds);
    return { now: new Date(clock.nowMicros() / 1000).toISOString() };
  });

  app.post('/worlds/:id/mark', { schema: markSchema }, (request) => ({
    mark: worldOf(request).marks.current(),
  }));

  app.get('/worlds/:id/requests', { schema: requestsSchema }, (request) => {
    const { last } = request.query as { last?: string };
    return worldOf(request).log.read(Number(last ?? 1000));
  });

  app.delete('/worlds/:id/requests', { schema: clearSchema }, async (request, reply) => {
    worldOf(request).log.clear();
    return reply.code(204).send();
  });
}
