import type { AddressInfo } from 'node:net';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import fastify from 'fastify';
import type { FastifySchemaValidationError } from 'fastify/types/schema.js';
import { addApiRoutes } from './api/serve.ts';
import { addControlRoutes } from './control.ts';
import { addPageRoutes } from './page/page-routes.ts';
import type { ServedScenario } from './scenario.ts';
import { addVerdictRoute } from './verdict.ts';

// validates bodies without changing them
const unchanged = { removeAdditional: false, coerceTypes: false, useDefaults: false } as const;

/** Listens on the loopback interface; port 0 picks a free port. Throws what `listen` throws, for example if the port is in use. */
export async function startServer(port: number) {
  const app = fastify({
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    bodyLimit: 64 * 1024 * 1024,
    ajv: { customOptions: { ...unchanged, allowUnionTypes: true } },
    schemaErrorFormatter: describeErrors,
  });
  const scenarios = new Map<string, ServedScenario>();
  const url = (): string => `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const description =
    'The asset and trailer data APIs on this machine, in any number of worlds, and endpoints to control them.';
  const info = { title: 'Sandbox', version: '1', description };
  await app.register(swagger, { openapi: { openapi: '3.1.0', info } });
  await app.register(swaggerUi, { routePrefix: '/docs' });
  addApiRoutes(app, scenarios);
  await app.register(async (control) => {
    addControlRoutes(control, scenarios, url);
    addPageRoutes(control, scenarios);
  });
  await app.register(async (verdicts) => addVerdictRoute(verdicts, scenarios));

  await app.listen({ port, host: '127.0.0.1' });
  return { url: url(), scenarios, close: () => app.close() };
}

function describeErrors(errors: readonly FastifySchemaValidationError[], part: string): Error {
  const lines = errors.map(({ instancePath, message, params }) => {
    const unknown = params['additionalProperty'] as string | undefined;
    return `${part}${instancePath}: ${unknown === undefined ? message : `unknown member "${unknown}"`}`;
  });
  return new Error(lines.join('; '));
}
