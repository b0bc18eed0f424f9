import type { HttpRequest } from '../../src/http/request.ts';
import { createAlarmsList } from './alarms-list.ts';
import { createAssetsList } from './assets-list.ts';
import type { Scenario } from './scenario.ts';
import { refusal } from './simulated-list.ts';
import type { Answer, Surroundings } from './simulated-list.ts';
import { createTokenEndpoint } from './token-endpoint.ts';

export const AUDIENCES = { assets: 'AMAPI', alarms: 'UMAPI' };

/** The API in memory: the token endpoint and both lists, which outlive the processes that read them. */
export type SimulatedApi = ReturnType<typeof createSimulatedApi>;

export function createSimulatedApi({ api: plan, seed }: Scenario, parts: Omit<Surroundings, 'moment'>) {
  let requests = 0;
  const around = { ...parts, moment: () => requests };
  const assets = createAssetsList(plan.assets, seed, around);
  const alarms = createAlarmsList(plan.alarms, seed, around);
  const tokens = createTokenEndpoint(plan.tokens, around);
  return {
    assets,
    alarms,
    tokens,
    /** Requests served so far. */
    moment: around.moment,
    /** A read begins. */
    nextRead: (): void => {
      for (const { nextRead } of [assets, alarms, tokens]) nextRead();
    },
    /** A page has reached the one who asked for it. */
    arrived: ({ headers, url }: HttpRequest): void =>
      tokens.arrived(headers['authorization'], AUDIENCES[listOf(url)]),
    answer: ({ headers, url, body }: HttpRequest): Answer => {
      requests++;
      if (body !== null) return tokens.answer(body);
      const list = listOf(url);
      const isOpen = tokens.accepts(headers['authorization'], AUDIENCES[list]);
      if (!isOpen) return refusal(401, 'no valid token');
      return list === 'assets' ? assets.answer(url.searchParams) : alarms.answer(url.searchParams);
    },
  };
}

function listOf({ pathname }: URL): keyof typeof AUDIENCES {
  return pathname.endsWith('/v1/assets') ? 'assets' : 'alarms';
}
