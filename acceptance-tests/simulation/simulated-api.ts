import type { HttpRequest } from '../../src/http/request.ts';
import { createAlarmsList } from './alarms-list.ts';
import { createAssetsList } from './assets-list.ts';
import type { Scenario } from './scenario.ts';
import { refusal } from './simulated-list.ts';
import type { Answer, Surroundings } from './simulated-list.ts';
import { createTokenEndpoint } from './token-endpoint.ts';

export const ASSETS_AUDIENCE = 'AMAPI';
export const ALARMS_AUDIENCE = 'UMAPI';

/** The API in memory: the token endpoint and both lists, which outlive the processes that read them. */
export type SimulatedApi = ReturnType<typeof createSimulatedApi>;

export function createSimulatedApi(
  plan: Scenario['api'],
  seed: number,
  around: Omit<Surroundings, 'moment'>,
) {
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
    /** Requests served so far. */
    moment,
    /** A read begins. */
    nextRead: (): void => {
      for (const { nextRead } of [assets, alarms, tokens]) nextRead();
    },
    /** A page has reached the one who asked for it. */
    arrived: ({ headers, url }: HttpRequest): void =>
      tokens.arrived(headers['authorization'], audienceOf(url)),
    answer: ({ headers, url, body }: HttpRequest): Answer => {
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
