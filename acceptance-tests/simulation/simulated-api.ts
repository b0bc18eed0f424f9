import type { HttpRequest } from '../../src/http/request.ts';
import { createAlarmsList } from './alarms-list.ts';
import type { AlarmsList, AlarmsPlan } from './alarms-list.ts';
import { createAssetsList } from './assets-list.ts';
import type { AssetsList, AssetsPlan } from './assets-list.ts';
import { refusal } from './simulated-list.ts';
import type { Answer, Surroundings } from './simulated-list.ts';
import { createTokenEndpoint } from './token-endpoint.ts';
import type { TokenEndpoint, TokenPlan } from './token-endpoint.ts';

export interface ApiPlan {
  readonly assets: AssetsPlan;
  readonly alarms: AlarmsPlan;
  readonly tokens: TokenPlan;
}

/** The API in memory: the token endpoint and both lists, which outlive the processes that read them. */
export interface SimulatedApi {
  readonly plan: ApiPlan;
  readonly assets: AssetsList;
  readonly alarms: AlarmsList;
  readonly tokens: TokenEndpoint;
  readonly answer: (request: HttpRequest) => Answer;
  /** A page has reached the one who asked for it. */
  readonly arrived: (request: HttpRequest) => void;
  /** A read begins. */
  readonly nextRead: () => void;
  /** Requests served so far. */
  readonly moment: () => number;
}

export const ASSETS_AUDIENCE = 'AMAPI';
export const ALARMS_AUDIENCE = 'UMAPI';

export function createSimulatedApi(
  plan: ApiPlan,
  seed: number,
  around: Omit<Surroundings, 'moment'>,
): SimulatedApi {
  let requests = 0;
  const moment = (): number => requests;
  const assets = createAssetsList(plan.assets, seed, { ...around, moment });
  const alarms = createAlarmsList(plan.alarms, seed, { ...around, moment });
  const tokens = createTokenEndpoint(plan.tokens, around.now);
  return {
    plan,
    assets,
    alarms,
    tokens,
    moment,
    nextRead: () => {
      alarms.nextRead();
      tokens.nextRead();
    },
    arrived: ({ headers, url }) => tokens.arrived(headers['authorization'], audienceOf(url)),
    answer: ({ headers, url, body }) => {
      requests++;
      if (body !== null) return tokens.answer(body);
      if (!tokens.accepts(headers['authorization'], audienceOf(url))) return refusal(401, 'no valid token');
      return isAssets(url) ? assets.answer(url.searchParams) : alarms.answer(url.searchParams);
    },
  };
}

function isAssets(url: URL): boolean {
  return url.pathname.endsWith('/v1/assets');
}

function audienceOf(url: URL): string {
  return isAssets(url) ? ASSETS_AUDIENCE : ALARMS_AUDIENCE;
}
