import type { HttpRequest } from '../../src/http/route.ts';
import { lists as served } from '../sandbox/lists.ts';
import { createAlarmsList } from './alarms-list.ts';
import { createAssetsList } from './assets-list.ts';
import type { FurtherList } from './further-lists.ts';
import type { Scenario } from './scenario.ts';
import { refusal, type Answer, type Surroundings } from './simulated-list.ts';
import { createTokenEndpoint } from './token-endpoint.ts';

/** The audience of a list. */
export const audienceOf = (list: string): string => served[list as keyof typeof served].module;

/** The audiences of all lists in the config. */
export const audiencesOf = ({ further }: Pick<Scenario, 'further'>): ReadonlySet<string> =>
  new Set(['assets', 'alarms', ...further.map(({ name }) => name)].map(audienceOf));

/** The list that a request is sent to. */
export const listOf = ({ pathname }: URL): string => pathname.slice(pathname.lastIndexOf('/') + 1);

/** The API in memory: the token endpoint and all lists, which outlive the processes that read them. */
export type SimulatedApi = ReturnType<typeof createSimulatedApi>;

export function createSimulatedApi(
  { api: plan, further, seed }: Scenario,
  parts: Omit<Surroundings, 'moment'>,
) {
  let requests = 0;
  const around = { ...parts, moment: () => requests };
  const assets = createAssetsList(plan.assets, seed, around);
  const alarms = createAlarmsList(plan.alarms, seed, around);
  const lists = new Map<string, typeof assets | typeof alarms>([
    ['assets', assets],
    ['alarms', alarms],
    ...further.map((list) => [list.name, createFurtherList(list, around)] as const),
  ]);
  const tokens = createTokenEndpoint(plan.tokens, around);
  return {
    assets,
    alarms,
    lists,
    tokens,
    moment: around.moment,
    startRead: (): void => {
      for (const { startRead } of [...lists.values(), tokens]) startRead();
    },
    arrived: ({ headers, url }: HttpRequest): void => {
      const list = listOf(url);
      if (lists.has(list)) tokens.arrived(headers['authorization'], audienceOf(list));
    },
    answer: ({ headers, url, body }: HttpRequest): Answer => {
      requests++;
      if (body !== null) return tokens.answer(body);
      const list = listOf(url);
      if (!tokens.accepts(headers['authorization'], audienceOf(list)))
        return refusal({ status: 401, error: 'no valid token' });
      return lists.get(list)?.answer(url.searchParams) ?? refusal({ status: 404, error: `no list ${list}` });
    },
  };
}

function createFurtherList({ name, kind, seed, drawn, assets, alarms }: FurtherList, around: Surroundings) {
  const own: Surroundings = {
    ...around,
    trace: (line) => around.trace(() => `${name}, like ${line()}`),
    matters: (dimension) => around.matters(dimension, drawn[dimension]),
  };
  return kind === 'assets' ? createAssetsList(assets, seed, own) : createAlarmsList(alarms, seed, own);
}
