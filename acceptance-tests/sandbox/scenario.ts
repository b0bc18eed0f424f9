import type { Answer, Query } from './api/answer.ts';
import { createCursorList } from './api/cursor-list.ts';
import { createOffsetList } from './api/offset-list.ts';
import { createTokens } from './api/tokens.ts';
import { createFaults } from './faults/faults.ts';
import { each, eachList, isPredefined, listNames, lists, pagedBy, pathOf, predefinedNames } from './lists.ts';
import type { ListName, Paging, PredefinedName } from './lists.ts';
import { changedOptions, defaultOptions } from './options.ts';
import type { Options, OptionsPatch } from './options.ts';
import { createLog } from './request-log.ts';
import { createRows } from './rows.ts';
import type { Differences } from './verdict.ts';

/** How a new scenario starts. What is left out has a default: an own id, seed 1, 100 assets and alarms, no further list. */
export type ScenarioOptions = { [L in ListName]?: number | undefined } & {
  id?: string;
  seed?: number;
  options?: OptionsPatch;
  clientId?: string;
  clientSecret?: string;
};

/** What a config says of a list. */
type ListConfig = { base_url: string; audience?: string; id_field?: string; created_field?: string };

/** A ready connector config for one scenario. */
export type SandboxConfig = Record<'auth_url' | 'client_id' | 'client_secret', string> &
  Record<PredefinedName, ListConfig> & {
    lists?: (ListConfig & { paging: Paging; name: ListName; path: string })[];
  };

/** Everything that one scenario holds: own rows, options, tokens, clock, faults and log. Scenarios share nothing. */
export type ServedScenario = ReturnType<typeof createScenario>;

/** Answers the requests to a list. Throws a `Refusal` for parameters that are not in order. */
type Pages = (query: Query, options: Options) => Answer;

function createScenario(id: string, given: ScenarioOptions) {
  const { seed = 1, clientId = 'sandbox-client', clientSecret = 'sandbox-secret' } = given;
  const names = listNames.filter((name) => isPredefined(name) || given[name] !== undefined);
  const sizes = eachList((name) => given[name] ?? (isPredefined(name) ? 100 : 0));
  const rows = eachList((name) => createRows(name, seed, sizes));
  const scenario = {
    id,
    /** The lists that are there. */
    names,
    rows,
    pages: {
      ...each(pagedBy('offset'), (name) => createOffsetList(name, rows[name])),
      ...each(pagedBy('cursor'), (name) => createCursorList(name, seed, rows[name])),
    } as Record<ListName, Pages>,
    tokens: createTokens({ clientId, clientSecret }),
    log: createLog(),
    faults: createFaults(seed),
    /** Replaced as a whole when some of them change. */
    options: changedOptions(defaultOptions, given.options ?? {}),
    /** Its place in its sequence of changes: every change of its rows is one step. */
    mark: 0,
    /** The mark that was taken last: a verdict is about what was there from then on. */
    measuredFrom: 0,
    /** What the last verdict found. */
    judged: null as { list: ListName; says: string; differences: Differences } | null,
    /** How far its clock is ahead of real time. */
    secondsAhead: 0,
    /** Its clock: whole microseconds since 1970 UTC. */
    nowMicros: (): number => Date.now() * 1000 + Math.round(scenario.secondsAhead * 1_000_000),
    /** The connector config for this scenario on a server at `url`. */
    config: (url: string): SandboxConfig => {
      const listConfig = (name: ListName): ListConfig => {
        const { module, paging, key, created } = lists[name];
        const audience = scenario.options.audiences[name];
        return {
          base_url: `${url}/w/${id}/${pathOf(name)}`,
          // of assets the connector knows both
          ...(name === 'assets' && audience === module ? {} : { audience }),
          ...(name === 'assets' || key === null ? {} : { id_field: key }),
          ...(isPredefined(name) || paging === 'offset' ? {} : { created_field: created }),
        };
      };
      const further = names.filter((name) => !isPredefined(name));
      const entries = further.map((name) => {
        return { paging: lists[name].paging, name, path: `/v1/${name}`, ...listConfig(name) };
      });
      const auth_url = `${url}/w/${id}/auth/token`;
      return {
        auth_url,
        client_id: clientId,
        client_secret: clientSecret,
        ...each(predefinedNames, listConfig),
        ...(entries.length === 0 ? {} : { lists: entries }),
      };
    },
  };
  return scenario;
}

/** The scenarios of one process, by id, oldest first. */
export type Scenarios = ReadonlyMap<string, ServedScenario>;

/** The scenario with an id. Throws an error with `statusCode` 404 if there is none. */
export function scenarioIn(scenarios: Scenarios, id: string): ServedScenario {
  const scenario = scenarios.get(id);
  if (scenario === undefined) throw Object.assign(new Error(`no world "${id}"`), { statusCode: 404 });
  return scenario;
}

/** A new scenario, under the id that was asked for or a free one. Throws an error with `statusCode` 409 for one that is taken. */
export function addScenario(
  scenarios: Map<string, ServedScenario>,
  options: ScenarioOptions,
): ServedScenario {
  let free = scenarios.size;
  while (scenarios.has(`w${free}`)) free += 1;
  const { id = `w${free}` } = options;
  if (scenarios.has(id)) throw Object.assign(new Error(`there is a world "${id}"`), { statusCode: 409 });
  const scenario = createScenario(id, options);
  scenarios.set(id, scenario);
  return scenario;
}
