import type { FastifyInstance } from 'fastify';
import type { AlarmArrival, AssetDeletion, AssetInsertion } from '../client-types.ts';
import { parseInstant } from '../data/instant.ts';
import type { WorldOf } from './world-of.ts';
import { arriveSchema, deleteSchema, insertSchema } from './control-schemas.ts';

/** Adds the endpoints that change the rows of a world. Each change is one step of the world's marks. */
export function addRowRoutes(app: FastifyInstance, worldOf: WorldOf): void {
  app.post('/worlds/:id/assets/insert', { schema: insertSchema }, (request) => {
    const world = worldOf(request);
    const insertion = request.body as AssetInsertion;
    return { ids: world.assets.insert(insertion, world.clock.nowMicros(), world.marks.next()) };
  });

  app.post('/worlds/:id/assets/delete', { schema: deleteSchema }, (request) => {
    const world = worldOf(request);
    return { ids: world.assets.remove(request.body as AssetDeletion, world.marks.next()) };
  });

  app.post('/worlds/:id/alarms/arrive', { schema: arriveSchema }, async (request, reply) => {
    const world = worldOf(request);
    const { count, createdAt, spacingMs = 1 } = request.body as AlarmArrival;
    const created = createdAt === undefined ? undefined : parseInstant(createdAt, undefined);
    if (createdAt !== undefined && created === undefined)
      return reply.code(400).send({ message: `createdAt: "${createdAt}" is no date-time` });
    const arrival = {
      count,
      createdMicros: created?.micros,
      spacingMicros: Math.round(spacingMs * 1000),
    };
    return { ids: world.alarms.arrive(arrival, world.clock.nowMicros(), world.marks.next()) };
  });
}
