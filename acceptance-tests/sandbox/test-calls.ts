import { afterAll, beforeAll } from 'vitest';
import { startSandbox, type ListName, type Sandbox, type Scenario, type ScenarioOptions } from './client.ts';

/** An answer, read to its end. `json` is undefined if the body is none. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  json: unknown;
}

/** A page of either list. */
export interface Page {
  items: Record<string, unknown>[];
  metadata: { pagination: Record<string, unknown> };
}

/** Query parameters, or a query as it stands in an address. */
export type Query = Record<string, string | number> | string;

async function replyOf(answer: Response): Promise<Reply> {
  const text = await answer.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: answer.status, headers: answer.headers, text, json };
}

/** Asks for a token with the world's credentials; `changes` replace or add members of the body. */
export async function askToken(scenario: Scenario, changes: Record<string, unknown>): Promise<Reply> {
  const { client_id: clientId, client_secret: clientSecret, auth_url: address } = scenario.config;
  const body = JSON.stringify({ clientId, clientSecret, audience: 'API', ...changes });
  const headers = { 'content-type': 'application/json' };
  return replyOf(await fetch(address, { method: 'POST', headers, body }));
}

/** A token, or an error if it is refused. */
export async function tokenFor(scenario: Scenario, changes: Record<string, unknown>): Promise<string> {
  const reply = await askToken(scenario, changes);
  const { accessToken } = (reply.json ?? {}) as { accessToken?: string };
  if (accessToken === undefined) throw new Error(`no token: ${reply.status} ${reply.text}`);
  return accessToken;
}

/** Calls a list; `token` undefined leaves the Authorization header out. */
export async function callList(
  scenario: Scenario,
  kind: ListName,
  query: Query,
  token: string | undefined,
): Promise<Reply> {
  const search =
    typeof query === 'string'
      ? query
      : new URLSearchParams(
          Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
        );
  const headers: Record<string, string> = { accept: 'application/json' };
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
  return replyOf(await fetch(`${scenario.config[kind].base_url}/v1/${kind}?${String(search)}`, { headers }));
}

/** A caller with a general token: pages, statuses and whole chains of one scenario. */
export interface Caller {
  page: (kind: ListName, query: Query) => Promise<Page>;
  reply: (kind: ListName, query: Query) => Promise<Reply>;
  /** Every page of a cursor chain, to its end. Throws if it has more than 500. */
  chain: (query: Record<string, string | number>) => Promise<Page[]>;
}

/** Starts one sandbox process for a test file, and stops it behind the last test; scenarios keep tests apart. */
export function useSandbox() {
  let sandbox: Sandbox | undefined;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox?.stop());
  const create = (options: ScenarioOptions): Promise<Scenario> => {
    if (sandbox === undefined) throw new Error('the sandbox is there only while tests run');
    return sandbox.createScenario(options);
  };
  /** A new scenario, and a caller of it. */
  const open = async (options: ScenarioOptions): Promise<Caller & { scenario: Scenario }> => {
    const scenario = await create(options);
    return { scenario, ...(await createCaller(scenario)) };
  };
  return { create, open };
}

/** Gets a general token for the scenario. */
export async function createCaller(scenario: Scenario): Promise<Caller> {
  const token = await tokenFor(scenario, {});
  const page = async (kind: ListName, query: Query): Promise<Page> => {
    const reply = await callList(scenario, kind, query, token);
    if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`);
    return reply.json as Page;
  };
  return {
    page,
    reply: (kind, query) => callList(scenario, kind, query, token),
    chain: async (query) => {
      const pages = [await page('alarms', query)];
      for (;;) {
        const cursor = pages.at(-1)?.metadata.pagination['nextCursor'];
        if (typeof cursor !== 'string' || cursor === '') return pages;
        if (pages.length > 500) throw new Error('the chain does not end');
        pages.push(await page('alarms', { ...query, after: cursor }));
      }
    },
  };
}

/** One member of every item. */
export function column(pages: readonly Page[] | Page, name: string): unknown[] {
  return [pages].flat().flatMap(({ items }) => items.map((item) => item[name]));
}

/** All lines of a truth. */
export async function linesOf(rows: AsyncIterable<string>): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of rows) lines.push(line);
  return lines;
}

/** One member of rows given as text. */
export function members(lines: readonly string[], name: string): unknown[] {
  return lines.map((line) => (JSON.parse(line) as Record<string, unknown>)[name]);
}

/** Values in an order of their own, to compare sets that may hold doubles. */
export function sorted(values: readonly unknown[]): string[] {
  return values.map(String).toSorted();
}
