import { afterAll, beforeAll } from 'vitest';
import { startSandbox, type ListName, type Sandbox, type Scenario, type ScenarioOptions } from './client.ts';

/** A page of either list. */
export interface Page {
  items: Record<string, unknown>[];
  metadata: { pagination: Record<string, unknown> };
}

/** An answer, read to its end. `json` is undefined if the body is none. */
async function replyOf(answer: Response) {
  const json: unknown = await answer
    .clone()
    .json()
    .catch(() => undefined);
  return { status: answer.status, headers: answer.headers, text: await answer.text(), json };
}

/** Asks for a token with the world's credentials; `changes` replace or add members of the body. */
export async function askToken(scenario: Scenario, changes: Record<string, unknown>) {
  const { client_id: clientId, client_secret: clientSecret, auth_url: address } = scenario.config;
  const body = JSON.stringify({ clientId, clientSecret, audience: 'API', ...changes });
  const headers = { 'content-type': 'application/json' };
  return replyOf(await fetch(address, { method: 'POST', headers, body }));
}

/** A token, or an error if it is refused. */
export async function tokenFor(scenario: Scenario, changes: Record<string, unknown>): Promise<string> {
  const { status, text, json } = await askToken(scenario, changes);
  if (status >= 300) throw new Error(`no token: ${status} ${text}`);
  return (json as { accessToken: string }).accessToken;
}

/** Calls a list; `token` undefined leaves the Authorization header out. */
export async function callList(scenario: Scenario, list: ListName, query: string, token?: string) {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const headers = { accept: 'application/json', ...authorization };
  return replyOf(await fetch(`${scenario.config[list].base_url}/v1/${list}?${query}`, { headers }));
}

/** Gets a general token for the scenario, and calls its lists with it. */
export async function createCaller(scenario: Scenario) {
  const token = await tokenFor(scenario, {});
  const reply = (list: ListName, query: string) => callList(scenario, list, query, token);
  const page = async (list: ListName, query: string): Promise<Page> => {
    const { status, text, json } = await reply(list, query);
    if (status !== 200) throw new Error(`${status} ${text}`);
    return json as Page;
  };
  return {
    reply,
    page,
    /** Every page of a cursor chain, to its end. */
    chain: async (query: string): Promise<Page[]> => {
      const pages = [await page('alarms', query)];
      for (;;) {
        const cursor = pages.at(-1)?.metadata.pagination['nextCursor'];
        if (typeof cursor !== 'string' || cursor === '') return pages;
        if (pages.length > 500) throw new Error('the chain does not end');
        pages.push(await page('alarms', `${query}&after=${cursor}`));
      }
    },
    /** The rows of the truth, as a page has them. */
    truth: async (list: ListName, selection: { since?: number; after?: number; lived?: number }) => {
      const rows: Page['items'] = [];
      for await (const line of scenario.groundTruthRows(list, selection)) rows.push(JSON.parse(line));
      return rows;
    },
  };
}

/** Starts one sandbox process for a test file, and stops it behind the last test; scenarios keep tests apart. */
export function useSandbox() {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.stop());
  /** A new scenario, and a caller of it. */
  const open = async (options: ScenarioOptions) => {
    const scenario = await sandbox.createScenario(options);
    return { scenario, ...(await createCaller(scenario)) };
  };
  return {
    url: () => sandbox.url,
    create: (options: ScenarioOptions) => sandbox.createScenario(options),
    open,
  };
}

/** All rows of some pages. */
export const rowsOf = (pages: readonly Page[]): Page['items'] => pages.flatMap(({ items }) => items);

/** Rows as texts, to compare lists whose order does not matter. */
export function inAnyOrder(rows: Page['items']): string[] {
  return rows.map((row) => JSON.stringify(row)).toSorted();
}

/** Rows per page. */
export const sizesOf = (pages: readonly Page[]): number[] => pages.map(({ items }) => items.length);
