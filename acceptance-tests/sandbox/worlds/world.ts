import type { EndpointName, SandboxConfig, ScenarioOptions } from '../client-types.ts';
import { createCursors, type Cursors } from '../api/alarm-cursor.ts';
import { createAlarmOrders, type AlarmOrders } from '../api/alarm-order.ts';
import type { EndpointHook } from '../api/endpoint-hook.ts';
import { createRateLimit, type RateLimit } from '../api/rate-limit.ts';
import { createAlarmRows, type AlarmRows } from '../data/alarm-rows.ts';
import { createAssetRows, type AssetRows } from '../data/asset-rows.ts';
import { changedKnobs, defaultKnobs } from '../knobs/change-knobs.ts';
import type { KnobPatch, Knobs } from '../knobs/knobs.ts';
import { createTokenDesk, type TokenDesk } from '../tokens/token-desk.ts';
import { createClock, type Clock } from './clock.ts';
import { createMarks, type Marks } from './marks.ts';
import { createLog, type Log } from './request-log.ts';

/** Everything that one world holds. Worlds share nothing. */
export interface SandboxWorld {
  readonly id: string;
  readonly seed: number;
  /** Assets at the start: alarms name one of those. */
  readonly firstAssets: number;
  readonly assets: AssetRows;
  readonly alarms: AlarmRows;
  readonly alarmOrders: AlarmOrders;
  readonly cursors: Cursors;
  readonly tokens: TokenDesk;
  readonly rateLimit: RateLimit;
  readonly clock: Clock;
  readonly marks: Marks;
  readonly log: Log;
  /** The seam for faults: what may happen before and around each endpoint's answer. Empty: nothing. */
  readonly hooks: Partial<Record<EndpointName, EndpointHook>>;
  knobs(): Knobs;
  /** Changes knobs; the object given back by `knobs` before stays as it was. */
  turn(patch: KnobPatch): Knobs;
  /** Counts up; for orders that change from request to request. */
  nextTurn(): number;
  /** The connector config for this world on a server at `url`. */
  config(url: string): SandboxConfig;
}

/** A new world. */
export function createWorld(id: string, options: ScenarioOptions): SandboxWorld {
  const { seed = 1, assets = 100, alarms = 100 } = options;
  const clientId = options.clientId ?? 'sandbox-client';
  const clientSecret = options.clientSecret ?? 'sandbox-secret';
  let knobs = changedKnobs(defaultKnobs, options.options ?? {});
  let turns = 0;
  const alarmRows = createAlarmRows(seed, alarms);
  const marks = createMarks();
  return {
    id,
    seed,
    firstAssets: assets,
    assets: createAssetRows(seed, assets),
    alarms: alarmRows,
    alarmOrders: createAlarmOrders(alarmRows.list, seed),
    cursors: createCursors(seed),
    tokens: createTokenDesk({ clientId, clientSecret }),
    rateLimit: createRateLimit(),
    clock: createClock(),
    marks,
    log: createLog(() => marks.current()),
    hooks: {},
    knobs: () => knobs,
    turn: (patch) => {
      knobs = changedKnobs(knobs, patch);
      return knobs;
    },
    nextTurn: () => {
      turns += 1;
      return turns;
    },
    config: (url) => ({
      auth_url: `${url}/w/${id}/auth/token`,
      client_id: clientId,
      client_secret: clientSecret,
      assets: {
        base_url: `${url}/w/${id}/asset-api`,
        ...(knobs.audiences.assets === 'AMAPI' ? {} : { audience: knobs.audiences.assets }),
      },
      alarms: {
        base_url: `${url}/w/${id}/alarm-api`,
        audience: knobs.audiences.alarms,
        id_field: 'alarmId',
      },
    }),
  };
}
