import { expect, it } from 'vitest';
import { truthTexts } from '../../support/compare-rows.ts';
import { lineForm, type OptionsPatch } from '../client.ts';
import { askToken, callList, useSandbox } from '../test-calls.ts';

const { open } = useSandbox();
const setUp = (options: OptionsPatch) => open({ assets: 60, alarms: 60, options });

it.each<['assets' | 'alarms', string[]]>([
  ['assets', ['0.0', 'E+4', '\\u00e9', '\u2029', '\u0085', '\\ud83d\\ude9b', '🚛', '\\"items\\":[']],
  ['alarms', ['1.10', '-0.0', '1E-7', '"code":"00', '"sequence":9007199254740', '\\\\x1F', '\\/', '\u2028']],
])('texts of %s keep what a parser would lose, and so does the truth', async (list, literals) => {
  const { scenario, reply } = await setUp({ alarmsMaxPageSize: 60 });
  const compact = await reply(list, 'limit=60');
  for (const literal of literals) expect(compact.text).toContain(literal);
  const lines = await truthTexts(scenario, list, {});
  expect(lines.filter((line) => lineForm(compact.text).includes(line))).toHaveLength(60);

  await scenario.setOptions({ prettyPrint: true });
  const { text, json } = await reply(list, 'limit=60');
  expect(json).toEqual(compact.json);
  expect(text).toMatch(/^\{\n  "items": \[\n    \{\n      "a/);
  expect(text.split('\n').length).toBeGreaterThan(1000);
  const spread = await truthTexts(scenario, list, {});
  expect(spread.filter((line) => lineForm(text).includes(line))).toHaveLength(60);
});

it.each<[OptionsPatch, string[]]>([
  [{}, ['items', 'metadata']],
  [{ memberOrder: 'metadataFirst' }, ['metadata', 'items']],
  [{ envelopeExtra: true }, ['info', 'items', 'metadata', 'links']],
  [{ envelopeExtra: true, prettyPrint: true }, ['info', 'items', 'metadata', 'links']],
])('the envelope with %j keeps its right members', async (options, members) => {
  const { scenario, page } = await setUp({});
  const right = await page('assets', '');
  await scenario.setOptions(options);
  const changed = await page('assets', '');
  expect(changed).toMatchObject(right);
  expect(Object.keys(changed)).toEqual(members);
  expect('items' in changed.metadata).toBe('envelopeExtra' in options);
});

it.each([
  ['json', 'application/json; charset=utf-8', /^\{"type":"badToken","message":".+","errors":\[\]\}$/],
  ['text', 'text/plain; charset=utf-8', /^the header/],
  ['empty', null, /^$/],
] as const)('errorBody %s', async (errorBody, type, body) => {
  const { scenario } = await setUp({ errorBody });
  const refused = await callList(scenario, 'assets', '');
  expect([refused.status, refused.headers.get('content-type')]).toEqual([401, type]);
  expect(refused.text).toMatch(body);
});

it('errorStatus, unknownParameters', async () => {
  const { scenario, reply } = await setUp({});
  expect((await reply('assets', 'page=2')).status).toBe(200);
  const errorStatus = { badToken: 403, badRequest: 422, badCredentials: 400 };
  await scenario.setOptions({ errorStatus, unknownParameters: 'refused' });
  expect((await reply('assets', 'page=2')).status).toBe(422);
  expect((await reply('alarms', 'offset=2')).status).toBe(422);
  expect((await callList(scenario, 'alarms', '', 'x')).status).toBe(403);
  expect((await askToken(scenario, { clientSecret: 'x' })).status).toBe(400);
});

it('dateHeader follows the clock of the world', async () => {
  const { scenario, reply } = await setUp({});
  const minutesAhead = async (): Promise<number> => {
    const date = (await reply('assets', '')).headers.get('date') ?? '';
    return Math.round((Date.parse(date) - Date.now()) / 60_000);
  };
  expect(Math.abs(await minutesAhead())).toBe(0);
  await scenario.advanceClock(7200);
  expect(await minutesAhead()).toBe(120);
  await scenario.setOptions({ dateHeader: -3600 });
  expect(await minutesAhead()).toBe(60);
  await scenario.setOptions({ dateHeader: 'absent' });
  expect(await minutesAhead()).toBeNaN();
});

it('the request log sums up and lists what was asked, with latency', async () => {
  const { scenario, reply } = await setUp({ latencyMs: 400 });
  await scenario.clearRequests();
  await Promise.all([1, 2, 3].map((limit) => reply('assets', `limit=${limit}`)));
  await reply('alarms', 'after=nonsense');
  const { endpoints, last } = await scenario.requests();
  expect(endpoints).toMatchObject({
    assets: { count: 3, rows: 6, maxInFlight: 3, byStatus: { 200: 3 } },
    alarms: { count: 1, rows: 0, maxInFlight: 1, byStatus: { 400: 1 } },
    token: { count: 0 },
  });
  expect(last).toHaveLength(4);
  expect(last.at(-1)).toMatchObject({
    endpoint: 'alarms',
    query: { after: 'nonsense' },
    status: 400,
    rows: 0,
  });
  expect(Math.min(...last.map(({ ms }) => ms))).toBeGreaterThan(350);
  expect((await scenario.requests(1)).last).toEqual(last.slice(-1));
  await scenario.clearRequests();
  expect((await scenario.requests()).last).toEqual([]);
});
