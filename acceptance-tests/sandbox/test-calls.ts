import { beforeAll } from 'vitest';
import { truthTexts } from '../support/compare-rows.ts';
import { sharedSandbox, type ListName, type Sandbox, type Scenario, type ScenarioOptions } from './client.ts';
import { pathOf } from './lists.ts';

type Item = Record<string, unknown>;
/** A page of a list. */
export interface Page {
  items: Item[];
  metadata: { pagination: Item & { nextCursor?: string | null } };
}

async function replyOf(answer: Response) {
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** Calls the API of a scenario. Methods without a `headers` parameter send a general token. */
export function callerOf(scenario: Scenario) {
  const { client_id: clientId, client_secret: clientSecret, auth_url: address } = scenario.config;
  /** Requests a token; `changes` overrides members of the body. */
  const ask = async (changes: object) => {
    const body = JSON.stringify({ clientId, clientSecret, audience: 'API', ...changes });
    return replyOf(await fetch(address, { method: 'POST', body }));
  };
  const tokenFor = async (changes: object): Promise<string> =>
    (JSON.parse((await ask(changes)).text) as { accessToken: string }).accessToken;
  let general: Promise<string> | undefined;
  const generalToken = async (): Promise<string> => {
    general ??= tokenFor({});
    return general;
  };
  const get = async (list: ListName, query: string, headers: Record<string, string>) => {
    const base = address.replace('auth/token', pathOf(list));
    return replyOf(await fetch(`${base}/v1/${list}?${query}`, { headers }));
  };
  const reply = async (list: ListName, query: string) =>
    get(list, query, { authorization: `Bearer ${await generalToken()}` });
  const page = async (list: ListName, query: string): Promise<Page> => {
    const { status, text } = await reply(list, query);
    if (status !== 200) throw new Error(`${status} ${text}`);
    return JSON.parse(text) as Page;
  };
  return {
    scenario,
    ask,
    tokenFor,
    get,
    reply,
    page,
    items: async (list: ListName, query: string) => (await page(list, query)).items,
    chain: async (query: string): Promise<Page[]> => {
      const pages = [await page('alarms', query)];
      for (const last of pages)
        if (cursorOf(last) !== '') pages.push(await page('alarms', `${query}&after=${cursorOf(last)}`));
      return pages;
    },
    truth: async (list: ListName, selection: { since?: number; after?: number; lived?: number }) =>
      (await truthTexts(scenario, list, selection)).map((text) => JSON.parse(text) as Item),
  };
}

/** The sandbox of this worker process. Use a scenario per test. */
export function useSandbox() {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await sharedSandbox();
  });
  return {
    url: () => sandbox.url,
    open: async (options: ScenarioOptions) => callerOf(await sandbox.createScenario(options)),
  };
}

export const cursorOf = ({ metadata }: Page): string => metadata.pagination.nextCursor ?? '';
export const rowsOf = (pages: readonly Page[]): Item[] => pages.flatMap(({ items }) => items);
export const sizesOf = (pages: readonly Page[]): number[] => pages.map(({ items }) => items.length);
export const createdOf = (rows: readonly Item[]): string[] => rows.map((row) => String(row['createdDate']));
/** Rows as texts, for comparisons that ignore order. */
export const inAnyOrder = (rows: readonly Item[]) => rows.map((row) => JSON.stringify(row)).toSorted();
