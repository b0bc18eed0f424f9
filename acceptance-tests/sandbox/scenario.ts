import type { Answer, Query } from './api/answer.ts';
import { createCursorList } from './api/cursor-list.ts';
import { createOffsetList } from './api/offset-list.ts';
import { createTokens } from './api/tokens.ts';
import type { Differences } from './compare-items.ts';
import { sandboxConfig } from './config.ts';
import { createRandom } from './data/random.ts';
import { createFaults } from './faults/faults.ts';
import { eachList, isPagedBy, isPredefined, listNames } from './lists.ts';
import type { EndpointName, ListName } from './lists.ts';
import { changedOptions, defaultOptions, type Options, type OptionsPatch } from './options.ts';
import { createLog } from './request-log.ts';
import { createRows } from './rows.ts';

/** How a new scenario starts. By default it has a new id, seed 1, 100 assets, 100 alarms and no other lists. */
export type ScenarioOptions = { [L in ListName]?: number | undefined } & {
  id?: string;
  seed?: number;
  options?: OptionsPatch;
  clientId?: string;
  clientSecret?: string;
};

/** The state of a scenario. Scenarios share nothing. */
export type ServedScenario = ReturnType<typeof createScenario>;

/** Responds to requests to a list. Throws an `ApiError` for invalid parameters. */
type Pages = (query: Query, options: Options) => Answer;

function createScenario(id: string, given: ScenarioOptions) {
  const { seed = 1, clientId = 'sandbox-client', clientSecret = 'sandbox-secret' } = given;
  const names = listNames.filter((name) => isPredefined(name) || given[name] !== undefined);
  const sizes = eachList((name) => given[name] ?? (isPredefined(name) ? 100 : 0));
  const rows = eachList((name) => createRows(name, seed, sizes));
  const credentials = { clientId, clientSecret };
  const scenario = {
    id,
    names,
    rows,
    pages: eachList((name): Pages => {
      const list = rows[name];
      return isPagedBy('offset', name) ? createOffsetList(name, list) : createCursorList(name, seed, list);
    }),
    tokens: createTokens(credentials),
    log: createLog(),
    faults: createFaults(seed),
    random: createRandom(seed ^ 21),
    /** Replaced as a whole by a change. */
    options: changedOptions(defaultOptions, given.options ?? {}),
    /** The number of changes of its rows so far. */
    mark: 0,
    /** The last mark that was requested; verdicts cover what existed from then on. */
    measuredFrom: 0,
    judged: {} as Partial<Record<ListName, { says: string; differences: Differences }>>,
    secondsAhead: 0,
    /** Its clock, in whole microseconds since 1970 UTC. */
    nowMicros: (): number => Date.now() * 1000 + Math.round(scenario.secondsAhead * 1_000_000),
    /** The config to read it; `origin` is that of the sandbox. Endpoints that may refuse connections have another one. */
    config: (origin: string) => {
      const urlOf = (endpoint: EndpointName) => `${scenario.faults.originOf(endpoint) ?? origin}/w/${id}`;
      return sandboxConfig(urlOf, credentials, names, scenario.options);
    },
  };
  return scenario;
}

/** The scenarios of a process by id, oldest first. */
export type ScenarioMap = Map<string, ServedScenario>;

/** Throws an error with `statusCode` 404 if there is no scenario with this id. */
export function scenarioIn(scenarios: ScenarioMap, id: string): ServedScenario {
  const scenario = scenarios.get(id);
  if (scenario === undefined) throw Object.assign(new Error(`no world "${id}"`), { statusCode: 404 });
  return scenario;
}

/** Creates a scenario. Throws an error with `statusCode` 409 if its id is in use. */
export function addScenario(scenarios: ScenarioMap, options: ScenarioOptions): ServedScenario {
  let free = scenarios.size;
  while (scenarios.has(`w${free}`)) free += 1;
  const { id = `w${free}` } = options;
  if (scenarios.has(id)) throw Object.assign(new Error(`world "${id}" already exists`), { statusCode: 409 });
  const scenario = createScenario(id, options);
  scenarios.set(id, scenario);
  return scenario;
}
