import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import type { EndpointName } from '../client-types.ts';
import type { Worlds } from '../worlds/worlds.ts';
import { listAlarms } from './alarm-list.ts';
import { alarmsSchema, assetsSchema, tokenSchema } from './api-schemas.ts';
import { listAssets } from './asset-list.ts';
import { authorize, checkAccept } from './authorize.ts';
import { serve, type Work } from './endpoint.ts';
import { issueToken } from './issue-token.ts';

/** Adds the API itself, once for every world, under /w/{world}. */
export function addApiRoutes(app: FastifyInstance, worlds: Worlds): void {
  const handler =
    (endpoint: EndpointName, work: Work) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const { world: id } = request.params as { world: string };
      const world = worlds.get(id);
      if (world === undefined) return reply.code(404).send({ message: `no world "${id}"` });
      return serve(world, endpoint, request, reply, work);
    };

  void app.register(async (api) => {
    // The token endpoint judges bodies itself, whatever they are labelled as.
    api.removeAllContentTypeParsers();
    api.addContentTypeParser(
      '*',
      { parseAs: 'string' },
      async (_request: FastifyRequest, body: string) => body,
    );

    api.post(
      '/w/:world/auth/token',
      unchecked(tokenSchema),
      handler('token', (world, call) => issueToken(world, call.body)),
    );
    api.get(
      '/w/:world/asset-api/v1/assets',
      unchecked(assetsSchema),
      handler('assets', (world, call) => {
        world.rateLimit.take(world.knobs().requestsPerMinute, world.clock.nowMicros());
        authorize(world, 'assets', call.headers.authorization);
        checkAccept(world, call.headers.accept);
        return listAssets(world, call.query);
      }),
    );
    api.get(
      '/w/:world/alarm-api/v1/alarms',
      unchecked(alarmsSchema),
      handler('alarms', (world, call) => {
        world.rateLimit.take(world.knobs().requestsPerMinute, world.clock.nowMicros());
        authorize(world, 'alarms', call.headers.authorization);
        checkAccept(world, call.headers.accept);
        return listAlarms(world, call.query);
      }),
    );
  });
}

/** A schema that documents and does nothing else. */
function unchecked(schema: object): RouteShorthandOptions {
  return {
    schema,
    validatorCompiler: () => () => true,
    serializerCompiler: () => (data) => JSON.stringify(data),
  };
}
