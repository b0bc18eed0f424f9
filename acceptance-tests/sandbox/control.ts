import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { catalogue, faultNames } from './faults/catalogue.ts';
import { faultPlaces, type FaultCounts, type FaultPlans } from './faults/faults.ts';
import { groundTruthOf, selectedTexts } from './ground-truth.ts';
import { eachList, endpointNames, listNames, pagedBy, type ListName } from './lists.ts';
import { changedOptions, optionsPatchSchema, type OptionsPatch } from './options.ts';
import type { Arrival, Deletion } from './rows.ts';
import { addScenario, scenarioIn } from './scenario.ts';
import type { SandboxConfig, ScenarioOptions, ServedScenario } from './scenario.ts';

/** What the faults have done, and the config to read with meanwhile: a connection is refused at an address of its own. */
export interface FaultReport extends FaultCounts {
  config: SandboxConfig;
}

const count = { type: 'integer', minimum: 1, maximum: 10_000_000 } as const;
const mark = { type: 'string', pattern: '^\\d{1,10}$', description: 'a mark' } as const;

function members(properties: object, required: readonly string[]): object {
  return { type: 'object', additionalProperties: false, required, properties };
}

/** Answers a request with what it gives, 204 for nothing; `input` is what the schema lets through as body or query. */
type Work = (scenario: ServedScenario, input: never, reply: FastifyReply) => unknown;

/** Adds an endpoint of a scenario. */
type Add = (at: string, summary: string, schema: object, work: Work) => void;

/** Adds what makes, changes and shows scenarios. `url` is where the sandbox is reached. */
export function addControlRoutes(
  app: FastifyInstance,
  scenarios: Map<string, ServedScenario>,
  url: () => string,
): void {
  const params = members({ id: { type: 'string', description: 'id of a world' } }, ['id']);
  const add: Add = (at, summary, schema, work) => {
    const [method = '', path = ''] = at.split(' ');
    const tags = [path.split('/')[1] ?? 'worlds'];
    app.route({
      method,
      url: `/worlds/:id${path}`,
      schema: { tags, summary, params, ...schema },
      handler: async ({ params: given, body, query }: FastifyRequest, reply) => {
        const scenario = scenarioIn(scenarios, (given as { id: string }).id);
        return (await work(scenario, (body ?? query) as never, reply)) ?? reply.code(204).send();
      },
    });
  };
  const summary = 'A new world: its own rows, knobs, tokens, clock and log';
  const creation = { tags: ['worlds'], summary, body: scenarioBody };
  app.post('/worlds', { schema: creation }, async (request, reply) => {
    const { knobs = {}, ...rest } = request.body as ScenarioOptions & { knobs?: OptionsPatch };
    const scenario = addScenario(scenarios, { ...rest, options: knobs });
    return reply.code(201).send({ id: scenario.id, config: scenario.config(url()) });
  });
  add('DELETE', 'Delete a world', {}, ({ id }) => void scenarios.delete(id));
  addSettings(add);
  addRowChanges(add);
  addGroundTruth(add);
  addFaults(add, app, url);
}

const scenarioBody = members(
  {
    id: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
    seed: { type: 'integer', minimum: 0, maximum: 4_294_967_295, description: 'default 1' },
    ...eachList(() => ({ type: 'integer', minimum: 0, maximum: 20_000_000, description: 'default 100' })),
    knobs: optionsPatchSchema,
    clientId: { type: 'string', minLength: 1, description: 'default sandbox-client' },
    clientSecret: { type: 'string', minLength: 1, description: 'default sandbox-secret' },
  },
  [],
);

/** Options, clock, marks and request log. */
function addSettings(add: Add): void {
  add('GET /knobs', 'All knobs', {}, ({ options }) => options);
  const change = 'Change some knobs while the world runs; gives all of them';
  add('PATCH /knobs', change, { body: optionsPatchSchema }, (scenario, patch: OptionsPatch) => {
    scenario.options = changedOptions(scenario.options, patch);
    return scenario.options;
  });
  const move = "Move the world's clock; gives its time";
  const advance = { body: members({ advanceSeconds: { type: 'number' } }, ['advanceSeconds']) };
  add('POST /clock', move, advance, (scenario, body: { advanceSeconds: number }) => {
    scenario.secondsAhead += body.advanceSeconds;
    return { now: new Date(scenario.nowMicros() / 1000).toISOString() };
  });
  const present = "The present place in the world's sequence of changes";
  add('POST /mark', present, {}, ({ mark: at }) => ({ mark: at }));
  const last = { querystring: members({ last: { type: 'string', pattern: '^\\d{1,5}$' } }, []) };
  const read = 'The request log: sums per endpoint, tokens, and the last entries (default 1000)';
  add('GET /requests', read, last, ({ log }, query: { last?: string }) =>
    log.read(Number(query.last ?? 1000)),
  );
  add('DELETE /requests', 'Clear the request log', {}, ({ log }) => log.clear());
}

/** What changes the rows of a list, by the way that it is paged. Each change is one step of the marks. */
function addRowChanges(add: Add): void {
  const at = {
    anyOf: [{ enum: ['head', 'random'] }, { type: 'integer', minimum: 0 }],
    description: 'position 0 is the head, where the newest row stands; default head',
  };
  const createdAt = { type: 'string', description: 'of the first one; without it the last is created now' };
  const spacingMs = { type: 'number', minimum: 0, description: 'between two of them; default 1' };
  const arrived = { body: members({ count, createdAt, spacingMs }, ['count']) };
  const inserted = { body: members({ count }, ['count']) };
  const deleted = { body: members({ count, at }, []) };
  const adds = (name: ListName, path: string, summary: string, schema: object, fixed: object): void =>
    add(`POST /${name}/${path}`, summary, schema, (scenario, arrival: Arrival) => {
      scenario.mark += 1;
      return { ids: scenario.rows[name].add({ ...arrival, ...fixed }, scenario.nowMicros(), scenario.mark) };
    });
  for (const name of pagedBy('offset')) {
    adds(name, 'insert', `Insert ${name} at the head; gives their ids`, inserted, { spacingMs: 0 });
    const remove = `Delete ${name}; gives their ids`;
    add(`POST /${name}/delete`, remove, deleted, (scenario, deletion: Deletion) => {
      scenario.mark += 1;
      return { ids: scenario.rows[name].remove(deletion, scenario.mark) };
    });
  }
  for (const name of pagedBy('cursor')) {
    const arrive = `Let ${name} arrive; with an earlier createdAt they come in late. Gives their ids`;
    adds(name, 'arrive', arrive, arrived, {});
  }
}

/** What a scenario really holds. */
function addGroundTruth(add: Add): void {
  const description =
    'digest: the XOR, over all rows, of the first 8 bytes of the SHA-256 of the row text (UTF-8), as 16 hex digits. ' +
    'The text is the one on the page, with newlines between tokens as blanks and raw U+0085, U+2028, U+2029 as escapes.';
  add('GET /truth', 'Counts and digests of the rows that exist', { description }, groundTruthOf);
  const texts =
    'Row texts, one a line: those that exist; since a mark; born after it; or alive at any time from it on';
  const marks = { ...members({ since: mark, after: mark, lived: mark }, []), maxProperties: 1 };
  for (const name of listNames)
    add(`GET /truth/${name}`, texts, { querystring: marks }, (scenario, query: object, reply) => {
      const given = Object.entries(query).map(([at, value]) => [at, Number(value)]);
      reply.type('application/x-ndjson');
      return Readable.from(linesOf(selectedTexts(scenario, name, Object.fromEntries(given))));
    });
}

async function* linesOf(slices: AsyncIterable<string[]>): AsyncGenerator<Buffer> {
  for await (const slice of slices) yield Buffer.from(slice.map((text) => `${text}\n`).join(''));
}

function addFaults(add: Add, app: FastifyInstance, url: () => string): void {
  const names = faultNames.map((name) => `${name}: ${catalogue[name].words}`).join('; ');
  const plan = members(
    {
      fault: { enum: faultNames, description: names },
      at: { enum: faultPlaces, description: 'which requests it meets' },
      times: { type: ['integer', 'null'], minimum: 1, description: 'how often it happens; null: for good' },
    },
    ['fault', 'at', 'times'],
  );
  const body = members(Object.fromEntries(endpointNames.map((name) => [name, plan])), []);
  const description =
    'Gives the config to read the world with, and how often each endpoint misbehaved since faults were first set.';
  const report = ({ faults, config }: ServedScenario): FaultReport => ({
    ...faults.counts(),
    config: faults.configBehindDoors(config(url())),
  });
  const summary = 'Let endpoints misbehave; {} lifts all faults';
  add('PUT /faults', summary, { description, body }, async (scenario, plans: FaultPlans) => {
    await scenario.faults.set(plans, app.server);
    return report(scenario);
  });
  add('GET /faults', 'What the faults have done', {}, report);
}
