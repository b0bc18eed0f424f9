import { catalogOf } from '../support/catalogs.ts';
import type { RunPlan } from './scenario-runs.ts';
import type { Scenario } from './scenario.ts';
import { AUDIENCES } from './simulated-api.ts';

const base_url = 'https://api.example';

/** The config file of a read; JSON leaves out what is undefined. */
export function configText(
  { api }: Scenario,
  { alarms, concurrency, assetsPageSize, missingRows, minRows }: RunPlan,
): string {
  const { kind } = api.tokens;
  return JSON.stringify({
    auth_url: 'https://auth.example/token',
    client_id: 'me',
    client_secret: 'secret',
    token: { kind, scopes: kind === 'scoped' ? Object.values(AUDIENCES) : undefined },
    concurrency,
    assets: {
      base_url,
      audience: AUDIENCES.assets,
      page_size: assetsPageSize,
      missing_rows: missingRows === 'fail' ? undefined : missingRows,
      min_rows: minRows === 0 ? undefined : minRows,
    },
    alarms: { base_url, audience: AUDIENCES.alarms, ...alarms },
  });
}

/** The configured catalog of a read. */
export function catalogText({ streams }: Scenario, { isFull }: RunPlan): string {
  const modes = { assets: 'full_refresh', alarms: isFull ? 'full_refresh' : 'incremental' } as const;
  return JSON.stringify(catalogOf(Object.fromEntries(streams.map((name) => [name, modes[name]]))));
}
