import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { catalogue, faultNames } from './faults/catalogue.ts';
import { faultPlaces, type FaultCounts, type FaultPlans } from './faults/faults.ts';
import { groundTruthOf, lives, type GroundTruthSelection } from './ground-truth.ts';
import { each, eachList, endpointNames, listNames, pagedBy, type EndpointName } from './lists.ts';
import { optionsPatchSchema, type OptionsPatch } from './options.ts';
import type { Arrival, Deletion, Insertion } from './rows.ts';
import type { SandboxConfig, ScenarioOptions, Scenarios, ServedScenario } from './scenario.ts';

/** What the faults of a scenario have done, and the config to read it with meanwhile: behind an endpoint's own address a connection can be refused. */
export interface FaultReport extends FaultCounts {
  config: SandboxConfig;
}

/** Finds the scenario that a request's path names. Throws an error with `statusCode` 404 if there is none. */
export type ScenarioOf = (request: FastifyRequest) => ServedScenario;

const count = { type: 'integer', minimum: 1, maximum: 10_000_000 } as const;
const mark = { type: 'string', pattern: '^\\d{1,10}$', description: 'a mark' } as const;
const place = {
  anyOf: [{ enum: ['head', 'tail', 'random'] }, { type: 'integer', minimum: 0 }],
  description: 'position 0 is the head, where the newest row stands; default head',
} as const;

function body(properties: object, required: readonly string[]): object {
  return { type: 'object', additionalProperties: false, required, properties };
}

/** What /docs shows of an endpoint, and what requests are checked against. */
function documented(tag: string, summary: string, more: object): { schema: object } {
  const params = { type: 'object', properties: { id: { type: 'string', description: 'id of a world' } } };
  return { schema: { tags: [tag], summary, params, ...more } };
}

/** Adds the endpoints for scenarios, options, clocks, marks and request logs. `url` is where the sandbox is reached. */
export function addScenarioRoutes(
  app: FastifyInstance,
  scenarios: Scenarios,
  scenarioOf: ScenarioOf,
  url: () => string,
): void {
  const scenarioBody = body(
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
  const creation = {
    schema: {
      tags: ['worlds'],
      summary: 'A new world: its own rows, knobs, tokens, clock and log',
      body: scenarioBody,
    },
  };
  app.post('/worlds', creation, async (request, reply) => {
    const { knobs = {}, ...rest } = request.body as ScenarioOptions & { knobs?: OptionsPatch };
    const scenario = scenarios.create({ ...rest, options: knobs });
    if (scenario === undefined) return reply.code(409).send({ message: `there is a world "${rest.id}"` });
    return reply.code(201).send({ id: scenario.id, config: scenario.config(url()) });
  });
  app.delete('/worlds/:id', documented('worlds', 'Delete a world', {}), async (request, reply) => {
    scenarios.remove(scenarioOf(request).id);
    return reply.code(204).send();
  });

  const options = '/worlds/:id/knobs';
  app.get(options, documented('knobs', 'All knobs', {}), (request) => scenarioOf(request).options());
  app.patch(
    options,
    documented('knobs', 'Change some knobs while the world runs; gives all of them', {
      body: optionsPatchSchema,
    }),
    (request) => scenarioOf(request).setOptions(request.body as OptionsPatch),
  );

  const seconds = body({ advanceSeconds: { type: 'number' } }, ['advanceSeconds']);
  const clock = documented('clock and marks', "Move the world's clock; gives its time", { body: seconds });
  app.post('/worlds/:id/clock', clock, (request) => {
    const scenario = scenarioOf(request);
    scenario.advance((request.body as { advanceSeconds: number }).advanceSeconds);
    return { now: new Date(scenario.nowMicros() / 1000).toISOString() };
  });
  const current = documented('clock and marks', "The present place in the world's sequence of changes", {});
  app.post('/worlds/:id/mark', current, (request) => ({ mark: scenarioOf(request).mark() }));

  const last = { querystring: body({ last: { type: 'string', pattern: '^\\d{1,5}$' } }, []) };
  const read = 'The request log: sums per endpoint, tokens, and the last entries (default 1000)';
  app.get('/worlds/:id/requests', documented('requests', read, last), (request) =>
    scenarioOf(request).log.read(Number((request.query as { last?: string }).last ?? 1000)),
  );
  const clear = documented('requests', 'Clear the request log', {});
  app.delete('/worlds/:id/requests', clear, async (request, reply) => {
    scenarioOf(request).log.clear();
    return reply.code(204).send();
  });
}

/** Adds the endpoints that change the rows of a list, by the way that it is paged. Each change is one step of the marks. */
export function addRowRoutes(app: FastifyInstance, scenarioOf: ScenarioOf): void {
  for (const name of pagedBy('offset')) {
    const inserted = { body: body({ count, at: place }, ['count']) };
    const insert = documented('rows', `Insert ${name}; gives their ids`, inserted);
    app.post(`/worlds/:id/${name}/insert`, insert, (request) => {
      const scenario = scenarioOf(request);
      const insertion = request.body as Insertion;
      return { ids: scenario.rows[name].insert(insertion, scenario.nowMicros(), scenario.nextMark) };
    });
    const ids = body({ ids: { type: 'array', items: { type: 'string' } } }, ['ids']);
    const deleted = { body: { anyOf: [body({ count, at: place }, []), ids] } };
    const summary = `Delete ${name}, some at a place (default: one at the head) or those with the ids; gives the ids`;
    app.post(`/worlds/:id/${name}/delete`, documented('rows', summary, deleted), (request) => {
      const scenario = scenarioOf(request);
      return { ids: scenario.rows[name].remove(request.body as Deletion, scenario.nextMark) };
    });
  }
  for (const name of pagedBy('cursor')) {
    const first = 'created time of the first one; without it the last is created now';
    const arrived = {
      count,
      createdAt: { type: 'string', description: first },
      spacingMs: { type: 'number', minimum: 0, description: 'between two of them; default 1' },
    };
    const summary = `Let ${name} arrive; with an earlier createdAt they come in late. Gives their ids`;
    const arrive = documented('rows', summary, { body: body(arrived, ['count']) });
    app.post(`/worlds/:id/${name}/arrive`, arrive, (request) => {
      const scenario = scenarioOf(request);
      const arrival = request.body as Arrival;
      return { ids: scenario.rows[name].arrive(arrival, scenario.nowMicros(), scenario.nextMark) };
    });
  }
}

/** Adds the endpoints that tell what a scenario really holds. */
export function addGroundTruthRoutes(app: FastifyInstance, scenarioOf: ScenarioOf): void {
  const digests = documented(
    'truth',
    'Counts and digests of the rows that exist, and of those that existed throughout since a mark',
    {
      description:
        'digest: the XOR, over all rows, of the first 8 bytes of the SHA-256 of the row text (UTF-8), as 16 hex digits. ' +
        'The text is the one on the page, with newlines between tokens as blanks and raw U+0085, U+2028, U+2029 as escapes.',
      querystring: body({ since: mark }, []),
    },
  );
  app.get('/worlds/:id/truth', digests, (request) =>
    groundTruthOf(scenarioOf(request), Number((request.query as { since?: string }).since ?? 0)),
  );

  const texts = documented(
    'truth',
    'Row texts, one a line: those that exist; since a mark; born after it; or alive at any time from it on',
    { querystring: { ...body({ since: mark, after: mark, lived: mark }, []), maxProperties: 1 } },
  );
  for (const name of listNames)
    app.get(`/worlds/:id/truth/${name}`, texts, async (request, reply) => {
      const marks = Object.entries(request.query as Record<string, string>);
      const selection: GroundTruthSelection = Object.fromEntries(
        marks.map(([at, value]) => [at, Number(value)]),
      );
      const rows = lives(scenarioOf(request), name, selection);
      return reply.type('application/x-ndjson').send(Readable.from(linesOf(rows)));
    });
}

async function* linesOf(slices: ReturnType<typeof lives>): AsyncGenerator<string> {
  for await (const slice of slices) if (slice.length > 0) yield slice.map(({ text }) => `${text}\n`).join('');
}

/** Adds the endpoints for the faults of scenarios. `url` is where the sandbox is reached. */
export function addFaultRoutes(app: FastifyInstance, scenarioOf: ScenarioOf, url: () => string): void {
  const plan = {
    ...body(
      {
        fault: {
          enum: faultNames,
          description: faultNames.map((name) => `${name}: ${catalogue[name].words}`).join('; '),
        },
        at: { enum: faultPlaces, description: 'which requests it meets' },
        times: { type: ['integer', 'null'], minimum: 1, description: 'how often it happens; null: for good' },
      },
      ['fault', 'at', 'times'],
    ),
  };
  const setting = documented('faults', 'Let endpoints misbehave; {} lifts all faults', {
    description:
      'Gives the config to read the world with and how often each endpoint misbehaved since faults were first set.',
    body: body(
      each(endpointNames, () => plan),
      [],
    ),
  });
  app.put('/worlds/:id/faults', setting, (request) => {
    const scenario = scenarioOf(request);
    const set = scenario.faults.set(request.body as FaultPlans, app.server);
    return set.then(() => faultReport(scenario, url()));
  });
  app.get('/worlds/:id/faults', documented('faults', 'What the faults have done', {}), (request) =>
    faultReport(scenarioOf(request), url()),
  );
}

function faultReport({ faults, config }: ServedScenario, url: string): FaultReport {
  const own = config(url);
  const through = (endpoint: EndpointName, address: string): string => faults.address(endpoint, address);
  const configured = listNames.filter((name) => name in own);
  const behindDoors = each(configured, (name) => ({
    ...own[name],
    base_url: through(name, own[name].base_url),
  }));
  return {
    ...faults.counts(),
    config: { ...own, auth_url: through('token', own.auth_url), ...behindDoors } as SandboxConfig,
  };
}
