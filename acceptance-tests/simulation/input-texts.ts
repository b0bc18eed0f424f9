import { catalogOf } from '../support/catalogs.ts';
import { ALARMS_AUDIENCE, ASSETS_AUDIENCE } from './simulated-api.ts';
import type { TokenPlan } from './scenario.ts';
import type { RunPlan } from './scenario-runs.ts';

export type StreamName = 'assets' | 'alarms';

/** The config file of a read. */
export function configText({ alarms, concurrency, assetsPageSize }: RunPlan, { kind }: TokenPlan): string {
  const scopes = kind === 'scoped' ? { scopes: [ASSETS_AUDIENCE, ALARMS_AUDIENCE] } : {};
  return JSON.stringify({
    auth_url: 'https://auth.example/token',
    client_id: 'me',
    client_secret: 'secret',
    token: { kind, ...scopes },
    concurrency,
    assets: { base_url: 'https://api.example', audience: ASSETS_AUDIENCE, page_size: assetsPageSize },
    alarms: {
      base_url: 'https://api.example',
      audience: ALARMS_AUDIENCE,
      // JSON leaves out what is undefined
      page_size: alarms.pageSize ?? undefined,
      start_date: alarms.startDate ?? undefined,
      end_date: alarms.endDate ?? undefined,
      created_field: alarms.createdField,
      lookback_seconds: alarms.lookbackSeconds,
      parallel_chains: alarms.chains,
    },
  });
}

/** The configured catalog of a read. */
export function catalogText({ streams, alarmsMode }: RunPlan): string {
  const modes = { assets: 'full_refresh', alarms: alarmsMode } as const;
  return JSON.stringify(catalogOf(Object.fromEntries(streams.map((name) => [name, modes[name]]))));
}
