import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Call } from '../faults/answer-faults.ts';
import { isPagedBy, listNames, lists, pathOf, type EndpointName, type ListName } from '../lists.ts';
import { optionsOf } from '../options.ts';
import { scenarioIn, type ScenarioMap, type ServedScenario } from '../scenario.ts';
import { ApiError, jsonAnswer, type Answer, type Query } from './answer.ts';

/** Responds to a request, or throws an {@link ApiError}. */
type Handler = (scenario: ServedScenario, call: Call) => Answer;

/** Adds the API of every scenario, under /w/{world}. */
export function addApiRoutes(app: FastifyInstance, scenarios: ScenarioMap): void {
  void app.register(async (api) => {
    // the token endpoint parses bodies itself, with any content type
    api.removeAllContentTypeParsers();
    api.addContentTypeParser('*', { parseAs: 'string' }, async (_: FastifyRequest, body: string) => body);
    // schemas are documentation only
    api.setValidatorCompiler(() => () => true);
    api.post('/w/:world/auth/token', { schema: tokenSchema }, handlerOf(scenarios, 'token', issueToken));
    for (const name of listNames) {
      const page: Handler = (scenario, { headers, query }) => {
        authorize(scenario, name, headers);
        changeRows(scenario, name);
        return scenario.pages[name](query, scenario.options);
      };
      const path = `/w/:world/${pathOf(name)}/v1/${name}`;
      api.get(path, { schema: listSchema(name) }, handlerOf(scenarios, name, page));
    }
  });
}

/**
 * Handles the requests to an endpoint. Responses are written to the socket directly, so that a fault can write anything
 * instead.
 */
function handlerOf(scenarios: ScenarioMap, endpoint: EndpointName, handler: Handler) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const scenario = scenarioIn(scenarios, (request.params as { world: string }).world);
    reply.hijack();
    const { headers } = request;
    const query = request.query as Query;
    const response = reply.raw;
    const asText = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
    const body = typeof request.body === 'string' ? request.body : '';
    const logged = scenario.log.begin({ endpoint, query: asText, body }, request.raw.socket);
    response.once('close', () => logged(scenario.mark, { status: 0, held: [] }));

    const { latencyMs } = scenario.options;
    if (latencyMs > 0) await sleep(latencyMs);
    const call: Call = { endpoint, headers, query, body, response };
    scenario.faults.send(call, answerOf(scenario, call, handler), (answer) => {
      const { dateHeader: skew } = scenario.options;
      const now = scenario.nowMicros() / 1000 + (Number(skew) || 0) * 1000;
      const date = skew === 'absent' ? {} : { date: new Date(now).toUTCString() };
      const length = { 'content-length': Buffer.byteLength(answer.body) };
      // Node.js would send real time instead of the scenario's clock
      response.sendDate = false;
      response.writeHead(answer.status, { ...answer.headers, ...date, ...length }).end(answer.body);
      logged(scenario.mark, answer);
    });
  };
}

function answerOf(scenario: ServedScenario, call: Call, handler: Handler): Answer {
  try {
    return handler(scenario, call);
  } catch (error) {
    if (call.endpoint === 'token') scenario.log.countToken(undefined);
    const known = error instanceof SyntaxError ? new ApiError('badRequest', 'the body is not JSON') : error;
    if (known instanceof ApiError) return known.answer(scenario.options);
    // a bug of the sandbox must be distinguishable from an API error
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    return { status: 500, headers: {}, body: `sandbox: ${String(error)}`, held: [] };
  }
}

function issueToken({ tokens, log, options, nowMicros }: ServedScenario, { body }: Call): Answer {
  const { response } = tokens.issue(body, options, nowMicros());
  log.countToken(response.accessToken);
  return jsonAnswer(options.tokenSuccessStatus, JSON.stringify(response), {});
}

/**
 * Throws an {@link ApiError} unless the token is valid for the module, the product is purchased, the permission is granted
 * and the client accepts JSON.
 */
function authorize(scenario: ServedScenario, name: ListName, headers: Call['headers']): void {
  const { audiences, products, permissions } = scenario.options;
  const { authorization = '', accept = '' } = headers;
  const token = /^Bearer (\S+)$/.exec(authorization)?.[1];
  if (token === undefined) throw new ApiError('badToken', 'the header "Authorization: Bearer …" is missing');
  if (!scenario.tokens.modulesOf(token, scenario.nowMicros()).includes(audiences[name]))
    throw new ApiError('moduleMissing', `the token is not valid for module ${audiences[name]}`);
  if (!products[lists[name].module])
    throw new ApiError('productMissing', 'the organization has not purchased the product of this endpoint');
  if (!permissions[name])
    throw new ApiError('permissionMissing', 'the integrator lacks the permission for this endpoint');
  if (!/(^|,)\s*(application\/json|application\/\*|\*\/\*)\s*(;|,|$)/i.test(accept))
    throw new ApiError('notAcceptable', 'the header "Accept: application/json" is missing');
}

function changeRows(scenario: ServedScenario, name: ListName): void {
  const { options, random, rows, nowMicros } = scenario;
  const max = isPagedBy('offset', name) ? optionsOf(options, 'offset', name).changes : 0;
  if (max === 0) return;
  scenario.mark += 1;
  const count = 1 + random.below(max);
  if (random.once(2)) rows[name].add({ count, spacingMs: 0 }, nowMicros(), scenario.mark);
  else rows[name].remove({ count, at: 'random' }, scenario.mark);
}

const text = (description: string): object => ({ type: 'string', description });
const object = (properties: object): object => ({ type: 'object', properties });
const params = object({ world: text('id of a world, for example `demo`') });

const tokenSchema = {
  tags: ['API: token'],
  summary: 'Issue an access token',
  params,
  body: object({
    clientId: { type: 'string', default: 'sandbox-client' },
    clientSecret: { type: 'string', default: 'sandbox-secret' },
    audience: { ...text('of a module; API: all modules'), default: 'API' },
    scopes: { type: 'array', items: { type: 'string' }, description: 'only with audience API' },
  }),
};

const integer = { type: 'integer' };
const listQueries = {
  offset: { limit: integer, offset: integer },
  cursor: { limit: integer, after: text('nextCursor'), createdSince: text('a time') },
};

const listSchema = (name: ListName) => ({
  tags: ['API: lists'],
  summary: `List ${name}, paged by ${lists[name].paging}`,
  params,
  headers: object({ authorization: text('Bearer <ACCESS_TOKEN>'), accept: text('application/json') }),
  querystring: object(listQueries[lists[name].paging]),
});
