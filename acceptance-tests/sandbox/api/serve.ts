import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Call } from '../faults/act.ts';
import { listNames, lists, type EndpointName, type ListName, type Paging } from '../lists.ts';
import type { Scenarios, ServedScenario } from '../scenario.ts';
import { jsonAnswer, Refusal, refusalAnswer, type Answer, type Query } from './answer.ts';

/** The work of an endpoint: an answer, or a thrown {@link Refusal}. */
type Work = (scenario: ServedScenario, call: Call) => Answer;

/** Adds the API itself, once for every scenario, under /w/{world}. */
export function addApiRoutes(app: FastifyInstance, scenarios: Scenarios): void {
  const handler =
    (endpoint: EndpointName, work: Work) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const { world: id } = request.params as { world: string };
      const scenario = scenarios.get(id);
      if (scenario === undefined) return reply.code(404).send({ message: `no world "${id}"` });
      return serve(scenario, endpoint, request, reply, work);
    };

  void app.register(async (api) => {
    // The token endpoint judges bodies itself, whatever they are labelled as.
    api.removeAllContentTypeParsers();
    api.addContentTypeParser('*', { parseAs: 'string' }, async (_: FastifyRequest, body: string) => body);
    // Schemas document, and nothing is checked against them.
    api.setValidatorCompiler(() => () => true);
    api.setSerializerCompiler(() => (data) => JSON.stringify(data));

    api.post('/w/:world/auth/token', { schema: tokenSchema }, handler('token', issueToken));
    for (const name of listNames) {
      const { path, paging } = lists[name];
      const address = `/w/:world/${path}/v1/${name}`;
      api.get(
        address,
        { schema: listSchema(name, paging) },
        handler(name, (scenario, call) => {
          const [options, now] = [scenario.options(), scenario.nowMicros()];
          scenario.takeRequest(options.requestsPerMinute, now);
          authorize(scenario, name, call.headers.authorization);
          checkAccept(scenario, call.headers.accept);
          return scenario.pages[name](call.query, options, now);
        }),
      );
    }
  });
}

/**
 * Serves one request: logs it, waits out the latency, works, sends, or lets a fault happen. The answer is written to the
 * socket directly, so that a fault may write anything else in its place.
 */
async function serve(
  scenario: ServedScenario,
  endpoint: EndpointName,
  request: FastifyRequest,
  reply: FastifyReply,
  work: Work,
): Promise<void> {
  reply.hijack();
  const query = request.query as Query;
  const response: ServerResponse = reply.raw;
  const [path = ''] = request.url.split('?', 1);
  const asText = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const body = typeof request.body === 'string' ? request.body : '';
  const logged = scenario.log.begin({ endpoint, method: request.method, path, query: asText, body });
  response.once('close', () => logged(0, 0));

  const { latencyMs } = scenario.options();
  if (latencyMs > 0) await sleep(latencyMs);
  const call: Call = { endpoint, headers: request.headers, query, body, response };
  scenario.faults.send(call, answerOf(scenario, call, work), (answer) => {
    send(response, scenario, answer);
    logged(answer.status, answer.rows);
  });
}

function answerOf(scenario: ServedScenario, call: Call, work: Work): Answer {
  try {
    return work(scenario, call);
  } catch (error) {
    if (error instanceof Refusal) return refusalAnswer(error, scenario.options(), scenario.nowMicros());
    // A fault of the sandbox itself must not pass for one of the API's errors.
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    return { status: 500, headers: {}, body: `sandbox: ${String(error)}`, rows: 0 };
  }
}

function send(response: ServerResponse, scenario: ServedScenario, answer: Answer): void {
  const skew = scenario.options().dateHeader;
  // Node's own Date header would tell real time, not the scenario's.
  response.sendDate = false;
  if (skew !== 'absent') {
    const seconds = skew === 'clock' ? 0 : skew;
    response.setHeader('date', new Date(scenario.nowMicros() / 1000 + seconds * 1000).toUTCString());
  }
  const length = Buffer.byteLength(answer.body);
  response.writeHead(answer.status, { ...answer.headers, 'content-length': length }).end(answer.body);
}

function issueToken(scenario: ServedScenario, { body }: Call): Answer {
  const { tokens, log, nowMicros } = scenario;
  const options = scenario.options();
  try {
    const { audience, response } = tokens.issue(parsed(body), options, nowMicros());
    log.tokenIssued(audience, response.accessToken);
    return jsonAnswer(options.tokenSuccessStatus, JSON.stringify(response), 0);
  } catch (error) {
    log.tokenRefused();
    throw error;
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Refusal('badRequest', 'the body is not JSON');
  }
}

/** Wants a valid token that opens the module, the product bought, the permission held; else throws a {@link Refusal}. */
function authorize(scenario: ServedScenario, name: ListName, header: string | undefined): void {
  const { audiences, products, permissions } = scenario.options();
  const token = /^Bearer (\S+)$/.exec(header ?? '')?.[1];
  if (token === undefined) throw new Refusal('badToken', 'the header "Authorization: Bearer …" is missing');
  const modules = scenario.tokens.modulesOf(token, scenario.nowMicros());
  if (!modules.includes(audiences[name]))
    throw new Refusal('moduleMissing', `the token does not open module ${audiences[name]}`);
  if (!products[lists[name].module])
    throw new Refusal('productMissing', 'the organization has not bought the product behind this endpoint');
  if (!permissions[name])
    throw new Refusal('permissionMissing', 'the integrator lacks the permission of this endpoint');
}

/** Throws a {@link Refusal} unless the Accept header lets JSON through. */
function checkAccept(scenario: ServedScenario, header: string | undefined): void {
  if (scenario.options().acceptHeader === 'ignored') return;
  const accepts = (header ?? '').split(',').map((range) => range.split(';')[0]?.trim().toLowerCase());
  const fits = ['application/json', 'application/*', '*/*'];
  if (!accepts.some((range) => range !== undefined && fits.includes(range)))
    throw new Refusal('notAcceptable', 'the header "Accept: application/json" is missing');
}

const text = { type: 'string' } as const;
const integer = { type: 'integer' } as const;
const object = (properties: object): object => ({ type: 'object', properties });
const world = object({ world: { ...text, description: 'id of a world; `demo` is always there' } });

const tokenSchema = {
  tags: ['API: token'],
  summary: 'Issue an access token',
  params: world,
  body: object({
    clientId: { ...text, default: 'sandbox-client' },
    clientSecret: { ...text, default: 'sandbox-secret' },
    audience: { ...text, description: 'of a module, or API for all', default: 'API' },
    scopes: { type: 'array', items: text, description: 'only with audience API' },
  }),
};

function listSchema(name: ListName, paging: Paging): object {
  const byOffset = paging === 'offset';
  const cursorQuery = {
    limit: integer,
    after: { ...text, description: 'the nextCursor of the page before' },
    createdSince: { ...text, description: 'lower bound on the created date-time' },
  };
  return {
    tags: ['API: lists'],
    summary: byOffset
      ? `List ${name}, newest first, paged by offset`
      : `List ${name}, oldest first, paged by cursor`,
    params: world,
    headers: object({
      authorization: { ...text, description: 'Bearer <ACCESS_TOKEN>' },
      accept: { ...text, description: 'application/json' },
    }),
    querystring: object(byOffset ? { limit: integer, offset: integer } : cursorQuery),
  };
}
