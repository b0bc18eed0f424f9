import { each } from '../sandbox/lists.ts';
import { catalogOf } from '../support/catalogs.ts';
import type { RunPlan } from './scenario-runs.ts';
import type { FurtherList } from './further-lists.ts';
import { streamsOf, type Scenario } from './scenario.ts';
import { audienceOf, audiencesOf } from './simulated-api.ts';

const base_url = 'https://api.example';

type Settings = FurtherList['settings'][number];

/** The config file of the read with the index `run`; JSON omits what is undefined. */
export function configText(scenario: Scenario, plan: RunPlan, run: number): string {
  const { api, further } = scenario;
  const { kind } = api.tokens;
  return JSON.stringify({
    auth_url: 'https://auth.example/token',
    client_id: 'me',
    client_secret: 'secret',
    token: { kind, scopes: kind === 'scoped' ? [...audiencesOf(scenario)] : undefined },
    concurrency: plan.concurrency,
    assets: offsetSettings('assets', plan),
    alarms: cursorSettings('alarms', plan),
    lists: further.flatMap((list) => {
      const settings = list.settings[run];
      return settings === undefined ? [] : [entryOf(list, settings)];
    }),
  });
}

function entryOf({ name, kind }: FurtherList, settings: Settings): object {
  const shared = { name, path: `/v1/${name}` };
  return kind === 'assets'
    ? { paging: 'offset', id_field: 'assetId', ...shared, ...offsetSettings(name, settings) }
    : { paging: 'cursor', ...shared, ...cursorSettings(name, settings) };
}

function offsetSettings(list: string, { assetsPageSize, missingRows, minRows }: Settings): object {
  return {
    base_url,
    audience: audienceOf(list),
    page_size: assetsPageSize,
    missing_rows: missingRows === 'fail' ? undefined : missingRows,
    min_rows: minRows === 0 ? undefined : minRows,
  };
}

function cursorSettings(list: string, { alarms }: Settings): object {
  return { base_url, audience: audienceOf(list), ...alarms };
}

/** The configured catalog of a read. */
export function catalogText(scenario: Scenario, { isFull }: RunPlan): string {
  const offsetLists = [
    'assets',
    ...scenario.further.flatMap(({ name, kind }) => (kind === 'assets' ? [name] : [])),
  ];
  const modeOf = (name: string) => (isFull || offsetLists.includes(name) ? 'full_refresh' : 'incremental');
  return JSON.stringify(catalogOf(each(streamsOf(scenario), modeOf)));
}
