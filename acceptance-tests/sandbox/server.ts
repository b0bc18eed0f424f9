import type { AddressInfo } from 'node:net';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import fastify from 'fastify';
import { addApiRoutes } from './api/api-routes.ts';
import { describeProblem } from './control/problem.ts';
import { addRowRoutes } from './control/row-routes.ts';
import { addTruthRoutes } from './control/truth-routes.ts';
import { createWorldOf } from './control/world-of.ts';
import { addWorldRoutes } from './control/world-routes.ts';
import { addFaultRoutes } from './faults/fault-routes.ts';
import { addPageRoutes } from './page/page-routes.ts';
import { createWorlds, type Worlds } from './worlds/worlds.ts';

/** A server that answers. */
export interface Server {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  readonly worlds: Worlds;
  /** Stops listening and cuts what is open. */
  close(): Promise<void>;
}

/** Listens on the loopback interface only; port 0: a free one. Throws what `listen` throws, as for a port that is taken. */
export async function startServer(port: number): Promise<Server> {
  const app = fastify({
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    bodyLimit: 64 * 1024 * 1024,
    // Bodies are taken as they are: nothing is removed, coerced or filled in.
    ajv: {
      customOptions: {
        removeAdditional: false,
        coerceTypes: false,
        useDefaults: false,
        allowUnionTypes: true,
      },
    },
    schemaErrorFormatter: describeProblem,
  });
  const worlds = createWorlds();
  const worldOf = createWorldOf(worlds);
  const url = (): string => `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Sandbox',
        version: '1',
        description:
          'The asset and trailer data APIs on this machine, in any number of worlds, and the controls over them.',
      },
    },
  });
  await app.register(swaggerUi, { routePrefix: '/docs' });
  addApiRoutes(app, worlds);
  await app.register(async (control) => {
    addWorldRoutes(control, worlds, worldOf, url);
    addRowRoutes(control, worldOf);
    addTruthRoutes(control, worldOf);
    addFaultRoutes(control, worldOf, url);
    addPageRoutes(control, worlds, worldOf);
  });

  try {
    await app.listen({ port, host: '127.0.0.1' });
  } catch (error) {
    await app.close();
    throw error;
  }
  return { url: url(), worlds, close: () => app.close() };
}
