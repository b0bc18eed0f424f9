import { catalogOf } from '../support/catalogs.ts';
import { ALARMS_AUDIENCE, ASSETS_AUDIENCE } from './simulated-api.ts';
import type { SinkPlan } from './sink.ts';
import type { TokenPlan } from './token-endpoint.ts';

export type StreamName = 'assets' | 'alarms';

/** Alarms in a config. */
export interface AlarmsConfig {
  readonly startDate: string | null;
  readonly endDate: string | null;
  readonly createdField: string;
  readonly pageSize: number | null;
  readonly lookbackSeconds: number;
  readonly chains: number;
}

/** One read: what goes before it, its options and its config, and how it ends. */
export interface RunPlan {
  /** ms since the end of the read before, and how often the lists change meanwhile. */
  readonly gapMs: number;
  readonly changes: number;
  /** `joined`: all saved output so far; `last`: the last state of each stream; `earlier`: any state that was ever written. */
  readonly handover: 'joined' | 'last' | 'earlier';
  readonly streams: readonly StreamName[];
  readonly alarmsMode: 'incremental' | 'full_refresh';
  readonly hasCatalog: boolean;
  readonly assetsPageSize: number;
  readonly concurrency: number;
  readonly alarms: AlarmsConfig;
  readonly stateEveryMs: number;
  readonly limitRows: number | null;
  readonly sink: SinkPlan;
  /** ms after which it is told to stop; null for never. */
  readonly stopAfterMs: number | null;
  /** Requests to a list after which it is out of order, one of them or each; null for never. */
  readonly outage: { readonly after: number; readonly of: StreamName | 'each' } | null;
  /** Nothing changes, fails or dies. */
  readonly isCalm: boolean;
  /** Of the state of alarms only its created_since is handed over. */
  readonly isKeyAlone: boolean;
}

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
