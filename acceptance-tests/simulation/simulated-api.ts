import type { HttpRequest } from '../../src/http/request.ts';
import { createAlarmsList } from './alarms-list.ts';
import type { AlarmsList, AlarmsPlan } from './alarms-list.ts';
import { createAssetsList } from './assets-list.ts';
import type { AssetsList, AssetsPlan } from './assets-list.ts';
import { refusal } from './simulated-list.ts';
import type { Answer } from './simulated-list.ts';
import { createTokenEndpoint } from './token-endpoint.ts';
import type { TokenEndpoint, TokenPlan } from './token-endpoint.ts';
import type { Tell } from './tell.ts';

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
  readonly answer: (request: HttpRequest, name: string) => Answer;
  /** A page has reached the one who asked for it. */
  readonly arrived: (request: HttpRequest) => void;
  /** Requests served so far. */
  readonly moment: () => number;
}

export interface ApiSurroundings {
  /** Server time, ms since the epoch. */
  readonly now: () => number;
  readonly isCalm: () => boolean;
  readonly tell: Tell;
}

export const ASSETS_AUDIENCE = 'AMAPI';
export const ALARMS_AUDIENCE = 'UMAPI';

export function createSimulatedApi(plan: ApiPlan, seed: number, around: ApiSurroundings): SimulatedApi {
  let moment = 0;
  const surroundings = { ...around, moment: () => moment };
  const assets = createAssetsList(plan.assets, seed, surroundings);
  const alarms = createAlarmsList(plan.alarms, seed, surroundings);
  const tokens = createTokenEndpoint(plan.tokens, around.now);
  return {
    plan,
    assets,
    alarms,
    tokens,
    moment: () => moment,
    arrived: ({ headers, url }) => tokens.arrived(headers['authorization'], audienceOf(url)),
    answer: ({ headers, url, body }) => {
      moment++;
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
