import type { AddressInfo } from 'node:net';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import fastify from 'fastify';
import type { FastifySchemaValidationError } from 'fastify/types/schema.js';
import { addApiRoutes } from './api/serve.ts';
import {
  addFaultRoutes,
  addGroundTruthRoutes,
  addRowRoutes,
  addScenarioRoutes,
  type ScenarioOf,
} from './control.ts';
import { addPageRoutes } from './page/page-routes.ts';
import { createScenarios, type Scenarios } from './scenario.ts';

/** A server that answers. */
export interface Server {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  readonly scenarios: Scenarios;
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
  const scenarios = createScenarios();
  const scenarioOf: ScenarioOf = (request) => {
    const { id } = request.params as { id: string };
    const scenario = scenarios.get(id);
    if (scenario !== undefined) return scenario;
    throw Object.assign(new Error(`no world "${id}"`), { statusCode: 404 });
  };
  const url = (): string => `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const description =
    'The asset and trailer data APIs on this machine, in any number of worlds, and the controls over them.';
  const info = { title: 'Sandbox', version: '1', description };
  await app.register(swagger, { openapi: { openapi: '3.1.0', info } });
  await app.register(swaggerUi, { routePrefix: '/docs' });
  addApiRoutes(app, scenarios);
  await app.register(async (control) => {
    addScenarioRoutes(control, scenarios, scenarioOf, url);
    addRowRoutes(control, scenarioOf);
    addGroundTruthRoutes(control, scenarioOf);
    addFaultRoutes(control, scenarioOf, url);
    addPageRoutes(control, scenarios, scenarioOf);
  });

  try {
    await app.listen({ port, host: '127.0.0.1' });
  } catch (error) {
    await app.close();
    throw error;
  }
  return { url: url(), scenarios, close: () => app.close() };
}

/** Says what is wrong with a control request, and names the member. */
function describeProblem(errors: readonly FastifySchemaValidationError[], where: string): Error {
  const lines = errors.map(({ instancePath, message, params }) => {
    const unknown = params['additionalProperty'];
    const path = `${where}${instancePath}`;
    return typeof unknown === 'string' ? `${path}: unknown member "${unknown}"` : `${path}: ${message}`;
  });
  return new Error(lines.join('; '));
}
