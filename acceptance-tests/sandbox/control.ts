import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { catalogue, faultNames } from './faults/catalogue.ts';
import { faultPlaces } from './faults/faults.ts';
import type { FaultPlans } from './faults/faults.ts';
import { groundTruthOf, selectedTexts } from './ground-truth.ts';
import { each, eachList, endpointNames, listNames, lists } from './lists.ts';
import type { Paging } from './lists.ts';
import { changedOptions, optionsPatchSchema } from './options.ts';
import type { OptionsPatch } from './options.ts';
import type { Arrival, Deletion, Rows } from './rows.ts';
import { addScenario, scenarioIn } from './scenario.ts';
import type { ScenarioOptions, ServedScenario } from './scenario.ts';

/** What the faults have done, and the config to read with meanwhile: a connection is refused at an address of its own. */
export type FaultReport = ReturnType<typeof reportOf>;

/** A JSON object with some members, and others that may be left out. */
const members = (required: object, optional: object): object => {
  const properties = { ...required, ...optional };
  return { type: 'object', additionalProperties: false, required: Object.keys(required), properties };
};

/** Answers a request with what it gives, 204 for nothing; `input` is what the schema lets through as body or query. */
type Work = (scenario: ServedScenario, input: never, reply: FastifyReply) => unknown;
type ScenarioMap = Map<string, ServedScenario>;
/** Adds an endpoint of a scenario. */
type Add = (at: string, summary: string, schema: object, work: Work) => void;

/** Adds what makes, changes and shows scenarios. `url` is where the sandbox is reached. */
export function addControlRoutes(app: FastifyInstance, scenarios: ScenarioMap, url: () => string): void {
  const params = members({ id: { type: 'string', description: 'id of a world' } }, {});
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

/** Options, clock, marks and request log. */
function addSettings(add: Add): void {
  add('GET /knobs', 'All knobs', {}, ({ options }) => options);
  const patch = { body: optionsPatchSchema };
  add('PATCH /knobs', 'Change some knobs; gives all of them', patch, (scenario, body: OptionsPatch) => {
    scenario.options = changedOptions(scenario.options, body);
    return scenario.options;
  });
  const clock = { body: members({ advanceSeconds: { type: 'number' } }, {}) };
  add('POST /clock', 'Move the clock; gives its time', clock, (scenario, body: Record<string, number>) => {
    scenario.secondsAhead += body['advanceSeconds'] ?? 0;
    return { now: new Date(scenario.nowMicros() / 1000).toISOString() };
  });
  add('POST /mark', 'Start a measurement here; the place in the sequence of changes', {}, (scenario) => {
    scenario.measuredFrom = scenario.mark;
    return { mark: scenario.mark };
  });
  const querystring = members({}, { last: { type: 'string', pattern: '^\\d{1,5}$', default: '1000' } });
  const read = 'The request log: sums per endpoint, tokens, and the last entries';
  add('GET /requests', read, { querystring }, ({ log }, query: Record<string, string>) =>
    log.read(Number(query['last'] ?? 1000)),
  );
  add('DELETE /requests', 'Clear the request log', {}, ({ log }) => log.clear());
}

type Change = (list: Rows, input: Arrival & Deletion, nowMicros: number, mark: number) => string[];
const count = { type: 'integer', minimum: 1, maximum: 10_000_000 };
const at = { anyOf: [{ enum: ['head', 'random'] }, { type: 'integer', minimum: 0 }], default: 'head' };
const createdAt = { type: 'string', description: 'of the first one; without it the last is created now' };
const spacingMs = { type: 'number', minimum: 0, default: 1, description: 'between two of them' };
/** What changes the rows of a list, by the way that it is paged. */
const changes: Record<Paging, Record<string, readonly [optional: object, change: Change]>> = {
  offset: {
    insert: [{}, (list, input, ...now) => list.add({ ...input, spacingMs: 0 }, ...now)],
    delete: [{ at }, (list, input, _, mark) => list.remove(input, mark)],
  },
  cursor: { arrive: [{ createdAt, spacingMs }, (list, input, ...now) => list.add(input, ...now)] },
};

/** Each change is one step of the marks. */
function addRowChanges(add: Add): void {
  for (const name of listNames)
    for (const [does, [optional, change]] of Object.entries(changes[lists[name].paging])) {
      const body = members({ count }, optional);
      const summary = `${does} ${name}; gives their ids`;
      add(`POST /${name}/${does}`, summary, { body }, (scenario, input: Arrival & Deletion) => {
        scenario.mark += 1;
        return { ids: change(scenario.rows[name], input, scenario.nowMicros(), scenario.mark) };
      });
    }
}

/** What a scenario really holds. */
function addGroundTruth(add: Add): void {
  const description =
    'digest: the XOR, over all rows, of the first 8 bytes of the SHA-256 of the row text (UTF-8), as 16 hex digits. ' +
    'The text is the one on the page, with newlines between tokens as blanks and raw U+0085, U+2028, U+2029 as escapes.';
  add('GET /truth', 'Counts and digests of the rows that exist', { description }, groundTruthOf);
  const texts =
    'Row texts, one a line: those that exist, or by a mark: since it, born after it, alive from it on';
  const mark = { type: 'string', pattern: '^\\d{1,10}$', description: 'a mark' };
  const querystring = { ...members({}, { since: mark, after: mark, lived: mark }), maxProperties: 1 };
  for (const name of listNames)
    add(`GET /truth/${name}`, texts, { querystring }, (scenario, query: object, reply) => {
      const given = Object.entries(query).map(([bound, value]) => [bound, Number(value)]);
      reply.type('application/x-ndjson');
      return Readable.from(linesOf(selectedTexts(scenario, name, Object.fromEntries(given))));
    });
}

async function* linesOf(slices: AsyncIterable<string[]>): AsyncGenerator<Buffer> {
  for await (const slice of slices) yield Buffer.from(slice.map((text) => `${text}\n`).join(''));
}

function reportOf({ faults, config }: ServedScenario, url: string) {
  return { ...faults.counts(), config: faults.configBehindDoors(config(url)) };
}

function addFaults(add: Add, app: FastifyInstance, url: () => string): void {
  const description = faultNames.map((name) => `${name}: ${catalogue[name].words}`).join('; ');
  const fault = { enum: faultNames, description };
  const place = { enum: faultPlaces, description: 'which requests it meets' };
  const times = {
    type: ['integer', 'null'],
    minimum: 1,
    description: 'how often it happens; null: for good',
  };
  const body = members(
    {},
    each(endpointNames, () => members({ fault, at: place, times }, {})),
  );
  const summary =
    'Let endpoints misbehave, {} lifts all faults; gives the config to read with, and what happened';
  add('PUT /faults', summary, { body }, async (scenario, wanted: FaultPlans) => {
    await scenario.faults.set(wanted, app.server);
    return reportOf(scenario, url());
  });
  add('GET /faults', 'What the faults have done', {}, (scenario) => reportOf(scenario, url()));
}
