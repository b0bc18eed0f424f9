import type { Answer, Query } from './api/answer.ts';
import { createCursorList } from './api/cursor-list.ts';
import { createOffsetList } from './api/offset-list.ts';
import { createTokens } from './api/tokens.ts';
import { createFaults } from './faults/faults.ts';
import { eachList, lists, pagedBy, type ListName } from './lists.ts';
import { changedOptions, defaultOptions, type Options, type OptionsPatch } from './options.ts';
import { createLog } from './request-log.ts';
import { createRows } from './rows.ts';

/** How a new scenario starts. Everything left out has a default: an own id, seed 1, 100 rows in each list. */
export type ScenarioOptions = Partial<Record<ListName, number>> & {
  id?: string;
  seed?: number;
  options?: OptionsPatch;
  clientId?: string;
  clientSecret?: string;
};

/** A ready connector config for one scenario. */
export type SandboxConfig = { auth_url: string; client_id: string; client_secret: string } & {
  [L in ListName]: { base_url: string } & ((typeof lists)[L]['configured']['audience'] extends true
    ? { audience: string; id_field: string }
    : { audience?: string });
};

/** Everything that one scenario holds: own rows, options, tokens, clock, faults and log. Scenarios share nothing. */
export type ServedScenario = ReturnType<typeof createScenario>;

/** Answers the requests to a list. Throws a `Refusal` for parameters that are not in order. */
type Pages = (query: Query, options: Options) => Answer;

function createScenario(id: string, given: ScenarioOptions) {
  const { seed = 1, clientId = 'sandbox-client', clientSecret = 'sandbox-secret' } = given;
  const sizes = eachList((name) => given[name] ?? 100);
  const rows = eachList((name) => createRows(name, seed, sizes));
  const offset = pagedBy('offset').map((name) => [name, createOffsetList(name, seed, rows[name])] as const);
  const cursor = pagedBy('cursor').map((name) => [name, createCursorList(name, seed, rows[name])] as const);
  let options = changedOptions(defaultOptions, given.options ?? {});
  let offsetMicros = 0;
  let mark = 0;

  return {
    id,
    rows,
    pages: Object.fromEntries([...offset, ...cursor]) as Record<ListName, Pages>,
    tokens: createTokens({ clientId, clientSecret }),
    log: createLog(() => mark),
    faults: createFaults(seed),
    /** Its clock: real time plus an offset, in whole microseconds since 1970 UTC. */
    nowMicros: (): number => Date.now() * 1000 + offsetMicros,
    advance: (seconds: number): void => {
      offsetMicros += Math.round(seconds * 1_000_000);
    },
    /** Its sequence of changes: every change of its rows is one step; the first rows are born at mark 0. */
    mark: (): number => mark,
    nextMark: (): number => {
      mark += 1;
      return mark;
    },
    options: (): Options => options,
    /** The object given back by `options` before stays as it was. */
    setOptions: (patch: OptionsPatch): Options => {
      options = changedOptions(options, patch);
      return options;
    },
    /** The connector config for this scenario on a server at `url`. */
    config: (url: string): SandboxConfig => {
      const configs = eachList((name) => {
        const { path, module, configured } = lists[name];
        const audience = options.audiences[name];
        const isTold = configured.audience || audience !== module;
        const idField = 'id_field' in configured ? { id_field: configured.id_field } : {};
        return { base_url: `${url}/w/${id}/${path}`, ...(isTold ? { audience } : {}), ...idField };
      });
      const auth_url = `${url}/w/${id}/auth/token`;
      return { auth_url, client_id: clientId, client_secret: clientSecret, ...configs } as SandboxConfig;
    },
  };
}

/** The scenarios of one process, by id. */
export type Scenarios = ReturnType<typeof createScenarios>;

export function createScenarios() {
  const scenarios = new Map<string, ServedScenario>();
  let made = 0;

  function freeId(): string {
    made += 1;
    return scenarios.has(`w${made}`) ? freeId() : `w${made}`;
  }

  return {
    get: (id: string): ServedScenario => {
      const scenario = scenarios.get(id);
      if (scenario === undefined) throw Object.assign(new Error(`no world "${id}"`), { statusCode: 404 });
      return scenario;
    },
    /** Oldest first. */
    ids: (): string[] => [...scenarios.keys()],
    /** Under the id that was asked for or a free one. */
    create: (options: ScenarioOptions): ServedScenario => {
      const id = options.id ?? freeId();
      if (scenarios.has(id)) throw Object.assign(new Error(`there is a world "${id}"`), { statusCode: 409 });
      const scenario = createScenario(id, options);
      scenarios.set(id, scenario);
      return scenario;
    },
    remove: (id: string): boolean => scenarios.delete(id),
  };
}
