import { expect, it } from 'vitest';
import { OFFSET_MEMBERS } from '../../model/offset-answer.ts';
import { truthTexts } from '../../support/compare-rows.ts';
import type { ListName, OptionsPatch } from '../client.ts';
import { lineForm } from '../line-form.ts';
import { useSandbox } from '../test-calls.ts';

const { open } = useSandbox();

// A request and its response: an object is the body of a token request, a text is a list and its query.
type Case = [options: OptionsPatch, request: object | string, status: number, text: RegExp];
const tokenText = (rest: string) => new RegExp(`^\\{"accessToken":"[^"]+",${rest}"tokenType":"Bearer"\\}$`);
const ends = (pagination: string) => new RegExp(`"pagination":\\{${pagination}\\}`);
const withDecoys = /^\{"info":.*"items":\[\{.*"metadata":\{.*"items".*"links":null\}$/s;
const oneAsset = /^\{"items":\[\{"assetId"(?!.*"assetId").*"limit":(30|50),/;
const refused = /^\{"type":"\w+","message":".+","errors":\[\]\}$/;
const bad = {
  'assets?': 'limit=-1 limit=0 limit=1.5 limit= offset=-1 offset=1e1 limit=1&limit=2',
  'alarms?': 'limit=0 limit=x after=nonsense after=',
  'alarms?createdSince=': 'yesterday 2025-02-30T00:00:00Z 2025-05-05 12.5 ',
};
const badQueries = Object.entries(bad).flatMap(([head, all]) => all.split(' ').map((text) => head + text));
const badBodies = [
  { clientSecret: undefined },
  { audience: 5 },
  { audience: 'XYAPI' },
  { audience: 'AMAPI', scopes: ['AMAPI'] },
  { scopes: ['XYAPI'] },
  { scopes: [] },
];
const noProduct: OptionsPatch = { products: { UMAPI: false }, errorStatus: { productMissing: 402 } };
it.each<Case>([
  [{}, {}, 200, tokenText('"expiresIn":86400,')],
  [{ expiresInUnit: 'minutes' }, {}, 200, tokenText('"expiresIn":1440,')],
  [{ expiresInUnit: 'hours' }, {}, 200, tokenText('"expiresIn":24,')],
  [{ expiresInUnit: 'milliseconds' }, {}, 200, tokenText('"expiresIn":86400000,')],
  [{ expiresInUnit: 'absent' }, {}, 200, tokenText('')],
  [{ expiresInField: 'expires_in' }, {}, 200, tokenText('"expires_in":86400,')],
  [{ expiresInField: 'expriesIn' }, {}, 200, tokenText('"expriesIn":86400,')],
  [{ tokenType: 'jwt-ish' }, {}, 200, /"tokenType":"jwt-ish"\}$/],
  [{ tokenFormat: 'opaque', tokenSuccessStatus: 201 }, {}, 201, /^\{"accessToken":"[\w-]+",/],
  [{ audiences: { alarms: 'TRAPI' } }, { audience: 'TRAPI' }, 200, tokenText('"expiresIn":3600,')],
  [{ audiences: { alarms: 'TRAPI' } }, { audience: 'UMAPI' }, 400, /audience: unknown audience UMAPI/],
  ...[...badQueries, ...badBodies].map((request): Case => [{}, request, 400, refused]),
  [{}, { clientSecret: 'something' }, 401, refused],
  [{ errorStatus: { badCredentials: 400 } }, { clientSecret: 'something' }, 400, refused],
  [{}, 'assets?', 200, /^\{"items":\[\{.*\}\],"metadata":\{"pagination":\{"offset":0,"limit":50,.*\}\}\}$/s],
  [{ memberOrder: 'metadataFirst' }, 'assets?', 200, /^\{"metadata":\{.*\},"items":\[.*\]\}$/s],
  [{ envelopeExtra: true }, 'assets?', 200, withDecoys],
  [{ prettyPrint: true }, 'assets?', 200, /^\{\n  "items": \[\n    \{\n      "assetId": "[^]*\n  \}\n\}$/],
  [{}, 'assets?page=2', 200, /items/],
  [{ unknownParameters: 'refused', errorStatus: { badRequest: 422 } }, 'assets?page=2', 422, refused],
  [{ unknownParameters: 'refused' }, 'alarms?offset=2', 400, refused],
  [{ permissions: { assets: false } }, 'assets?', 403, /permissionMissing/],
  [{ permissions: { assets: false } }, 'alarms?', 200, /items/],
  [noProduct, 'alarms?', 402, /productMissing/],
  [noProduct, 'assets?', 200, /items/],
  [{ assetsLimitRefusedAbove: 30 }, 'assets?limit=31', 400, refused],
  [{ assetsLimitRefusedAbove: 30, assetsLimitCap: 1 }, 'assets?limit=30', 200, oneAsset],
  [{}, 'assets?offset=2', 200, oneAsset],
  [{}, 'assets?offset=3', 200, /^\{"items":\[\],/],
  [{}, 'alarms?', 200, ends('"nextCursor":""')],
  [{ alarmsEnd: 'null' }, 'alarms?', 200, ends('"nextCursor":null')],
  [{ alarmsEnd: 'absent' }, 'alarms?', 200, ends('')],
])('with %j to %j: %d', async (options, request, status, text) => {
  const { ask, reply } = await open({ assets: 3, alarms: 3, options });
  const [list, query = ''] = typeof request === 'string' ? request.split('?') : [];
  const answer = list === undefined ? await ask(request as object) : await reply(list as ListName, query);
  expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(text)]);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
});

it.each(['clientId=x', '{', 'null'])('the body %s is rejected', async (body) => {
  const { scenario } = await open({});
  expect((await fetch(scenario.config.auth_url, { method: 'POST', body })).status).toBe(400);
});

it.each<[ListName, string[]]>([
  ['assets', ['0.0', 'E+4', '\\u00e9', '\u2029', '\u0085', '\\ud83d\\ude9b', '🚛', '\\"items\\":[']],
  ['alarms', ['1.10', '-0.0', '1E-7', '"code":"00', '"sequence":9007199254740', '\\\\x1F', '\\/', '\u2028']],
])(
  'texts of %s keep what a parser would lose, also if indented, and so does the truth',
  async (list, literals) => {
    const { scenario, reply } = await open({ assets: 60, alarms: 60, options: { alarmsMaxPageSize: 60 } });
    const { text: compact } = await reply(list, 'limit=60');
    for (const literal of literals) expect(compact).toContain(literal);
    for (const prettyPrint of [false, true]) {
      await scenario.setOptions({ prettyPrint, envelopeExtra: prettyPrint });
      const { text } = await reply(list, 'limit=60');
      expect(JSON.parse(text)).toMatchObject(JSON.parse(compact) as object);
      const lines = await truthTexts(scenario, list, {});
      expect(lines.filter((line) => lineForm(text).includes(line))).toHaveLength(60);
    }
  },
);

it.each(OFFSET_MEMBERS)('%s of the pagination object (2.6) follows its option', async (name) => {
  const { scenario, page } = await open({ assets: 103, alarms: 0 });
  const paging = async () => (await page('assets', 'limit=25&offset=50')).metadata.pagination;
  const counts = { previousOffset: 25, nextOffset: 75, currentPage: 3, pageCount: 5, totalCount: 103 };
  const right = { offset: 50, limit: 25, ...counts };
  expect(await paging()).toEqual(right);
  const forms = { absent: undefined, null: null, minusOne: -1, wrong: Math.floor(right[name] / 2) };
  for (const [option, value] of [...Object.entries(forms), [{ plus: -3 }, right[name] - 3]] as const) {
    await scenario.setOptions({ assetsPagination: { [name]: option } });
    expect(await paging()).toEqual({ ...right, [name]: value });
  }
});

it('dateHeader follows the clock of the world', async () => {
  const { scenario, reply } = await open({});
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

it('the request log contains sums and the last requests', async () => {
  const { scenario, reply } = await open({ options: { latencyMs: 300 } });
  await reply('alarms', '');
  await scenario.clearRequests();
  await Promise.all([1, 2, 3].map((limit) => reply('assets', `limit=${limit}`)));
  await reply('alarms', 'after=nonsense');
  const { endpoints, last } = await scenario.requests();
  expect([endpoints.assets, endpoints.alarms, endpoints.token]).toEqual([
    { count: 3, rows: 6, maxInFlight: 3, byStatus: { 200: 3 } },
    { count: 1, rows: 0, maxInFlight: 1, byStatus: { 400: 1 } },
    { count: 0, rows: 0, maxInFlight: 0, byStatus: {} },
  ]);
  expect(last).toHaveLength(4);
  const rejected = { endpoint: 'alarms', query: { after: 'nonsense' }, status: 400, rows: 0 };
  expect(last.at(-1)).toMatchObject(rejected);
  expect(Math.min(...last.map(({ ms }) => ms))).toBeGreaterThan(285);
  expect((await scenario.requests(1)).last).toEqual(last.slice(-1));
  await scenario.clearRequests();
  expect((await scenario.requests()).last).toEqual([]);
});
