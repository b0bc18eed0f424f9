import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { faultKinds, faultNames } from './faults/fault-kinds.ts';
import { faultPlaces, type FaultPlans } from './faults/faults.ts';
import { groundTruthOf, selectedLines } from './ground-truth.ts';
import { eachList, endpointNames, listNames, lists, type Paging } from './lists.ts';
import { changedOptions, optionsPatchSchema, type OptionsPatch } from './options.ts';
import type { Arrival, Deletion } from './rows.ts';
import { addScenario, scenarioIn } from './scenario.ts';
import type { ScenarioMap, ScenarioOptions, ServedScenario } from './scenario.ts';

/** The faults that have occurred, and the config to use meanwhile: refused connections have separate addresses. */
export type FaultReport = ReturnType<typeof reportOf>;

/** The JSON Schema of an object with required and optional members. */
const members = (required: object, optional: object): object => {
  const properties = { ...required, ...optional };
  return { type: 'object', additionalProperties: false, required: Object.keys(required), properties };
};

/** Returns the body of the response, undefined for a 204; `input` is the valid body or query of the request. */
type Handler = (scenario: ServedScenario, input: never, reply: FastifyReply) => unknown;
type Add = (route: string, summary: string, schema: object, handler: Handler) => void;

/** Adds the endpoints that create, change and show scenarios. `url` is the address of the sandbox. */
export function addControlRoutes(app: FastifyInstance, scenarios: ScenarioMap, url: () => string) {
  const params = members({ id: { type: 'string', description: 'id of a world' } }, {});
  const add: Add = (route, summary, schema, handler) => {
    const [method = '', path = ''] = route.split(' ');
    const tags = [path.split('/')[1] ?? 'worlds'];
    app.route({
      method,
      url: `/worlds/:id${path}`,
      schema: { tags, summary, params, ...schema },
      handler: async ({ params: given, body, query }: FastifyRequest, reply) => {
        const scenario = scenarioIn(scenarios, (given as { id: string }).id);
        return (await handler(scenario, (body ?? query) as never, reply)) ?? reply.code(204).send();
      },
    });
  };
  const summary = 'Create a world with its own rows, knobs, tokens, clock and request log';
  const schema = { tags: ['worlds'], summary, body: members({}, creation) };
  app.post('/worlds', { schema }, async ({ body }, reply) => {
    const { knobs = {}, ...rest } = body as ScenarioOptions & { knobs?: OptionsPatch };
    const scenario = addScenario(scenarios, { ...rest, options: knobs });
    return reply.code(201).send({ id: scenario.id, config: scenario.config(url()) });
  });
  add('DELETE', 'Delete a world', {}, ({ id }) => void scenarios.delete(id));
  addSettings(add);
  addRowChanges(add);
  addGroundTruth(add);
  addFaults(add, app, url);
}

const word = { type: 'string', minLength: 1, description: 'default sandbox-client and sandbox-secret' };
const rows = { type: 'integer', minimum: 0, maximum: 20_000_000, description: 'default 100' };
const creation = {
  id: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
  seed: { type: 'integer', minimum: 0, maximum: 4_294_967_295, description: 'default 1' },
  ...eachList(() => rows),
  knobs: optionsPatchSchema,
  clientId: word,
  clientSecret: word,
};

function addSettings(add: Add): void {
  add('GET /knobs', 'Get all knobs', {}, ({ options }) => options);
  const patch = { body: optionsPatchSchema };
  add('PATCH /knobs', 'Change some knobs; returns all', patch, (scenario, body: OptionsPatch) => {
    scenario.options = changedOptions(scenario.options, body);
    return scenario.options;
  });
  const clock = { body: members({ advanceSeconds: { type: 'number' } }, {}) };
  add('POST /clock', 'Move the clock; returns its time', clock, (scenario, body: Record<string, number>) => {
    scenario.secondsAhead += body['advanceSeconds'] ?? 0;
    return { now: new Date(scenario.nowMicros() / 1000).toISOString() };
  });
  add('POST /mark', 'Start a measurement; returns the number of changes so far', {}, (scenario) => {
    scenario.measuredFrom = scenario.mark;
    return { mark: scenario.mark };
  });
  const querystring = members({}, { last: { type: 'string', pattern: '^\\d{1,5}$', default: '1000' } });
  const read = 'Get the request log: sums per endpoint, tokens and the last entries';
  add('GET /requests', read, { querystring }, ({ log }, { last = '1000' }: { last?: string }) =>
    log.read(Number(last)),
  );
  add('DELETE /requests', 'Clear the request log', {}, ({ log }) => log.clear());
}

const count = { type: 'integer', minimum: 1, maximum: 10_000_000 };
const at = { anyOf: [{ enum: ['head', 'random'] }, { type: 'integer', minimum: 0 }], default: 'head' };
const createdAt = { type: 'string', description: 'of the first row; default: the last row is created now' };
const spacingMs = { type: 'number', minimum: 0, default: 1, description: 'interval between two rows' };
/** The optional members of each change. */
const changes: Record<Paging, Record<string, object>> = {
  offset: { insert: {}, delete: { at } },
  cursor: { arrive: { createdAt, spacingMs } },
};

function addRowChanges(add: Add): void {
  for (const name of listNames)
    for (const [action, optional] of Object.entries(changes[lists[name].paging])) {
      const body = members({ count }, optional);
      const summary = `${action} ${name}; returns their ids`;
      add(`POST /${name}/${action}`, summary, { body }, (scenario, input: Arrival & Deletion) => {
        scenario.mark += 1;
        const { mark, nowMicros } = scenario;
        const list = scenario.rows[name];
        if (action === 'delete') return { ids: list.remove(input, mark) };
        const arrival = action === 'insert' ? { ...input, spacingMs: 0 } : input;
        return { ids: list.add(arrival, nowMicros(), mark) };
      });
    }
}

function addGroundTruth(add: Add): void {
  add('GET /truth', 'Get the number of existing rows of each list', {}, groundTruthOf);
  const texts =
    'Get row texts, one per line: existing ones; since a mark, inserted after it, or existing at any time since';
  const mark = { type: 'string', pattern: '^\\d{1,10}$', description: 'a mark' };
  const querystring = { ...members({}, { since: mark, after: mark, lived: mark }), maxProperties: 1 };
  for (const name of listNames)
    add(`GET /truth/${name}`, texts, { querystring }, (scenario, query: object, reply) => {
      const given = Object.entries(query).map(([bound, value]) => [bound, Number(value)]);
      reply.type('application/x-ndjson');
      return Readable.from(selectedLines(scenario, name, Object.fromEntries(given)));
    });
}

function reportOf({ faults, config }: ServedScenario, url: string) {
  return { ...faults.counts(), config: config(url) };
}

function addFaults(add: Add, app: FastifyInstance, url: () => string): void {
  const description = faultNames.map((name) => `${name}: ${faultKinds[name].title}`).join('; ');
  const fault = { enum: faultNames, description };
  const place = { enum: faultPlaces, description: 'which requests it affects' };
  const often = 'how often it occurs; null: until it is removed';
  const times = { type: ['integer', 'null'], minimum: 1, description: often };
  const plan = members({ fault, at: place, times }, {});
  const body = members({}, Object.fromEntries(endpointNames.map((name) => [name, plan])));
  const summary = 'Replace all faults, {} removes them; returns the config to use, and counts';
  add('PUT /faults', summary, { body }, async (scenario, wanted: FaultPlans) => {
    await scenario.faults.set(wanted, app.server);
    return reportOf(scenario, url());
  });
  const read = 'Get the faults and how often they have occurred';
  add('GET /faults', read, {}, (scenario) => reportOf(scenario, url()));
}
