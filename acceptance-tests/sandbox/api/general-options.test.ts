import { describe, expect, it } from 'vitest';
import type { OptionsPatch } from '../client.ts';
import { lineForm } from '../digest.ts';
import { askToken, callList, column, linesOf, useSandbox } from '../test-calls.ts';

const { open } = useSandbox();

const setUp = (options: OptionsPatch) => open({ assets: 60, alarms: 60, options });

describe('row texts', () => {
  it('keep what a parser would lose: digits, signs, exponents, escapes, raw separators', async () => {
    const { scenario, reply } = await setUp({ alarmsMaxPageSize: 60 });
    const alarms = (await reply('alarms', {})).text;
    for (const literal of ['1.10', '-0.0', '1E-7', '"code":"00', '\\\\x1F', '\\/', '\u2028'])
      expect(alarms).toContain(literal);
    expect(alarms).toMatch(/"sequence":9007199254740\d{6},/);
    const assets = (await reply('assets', { limit: 60 })).text;
    for (const literal of [
      '0.0',
      'E+4',
      '\\u00e9',
      '\u2029',
      '\u0085',
      '\\ud83d\\ude9b',
      '🚛',
      '\\"items\\":[',
    ])
      expect(assets).toContain(literal);
    const lines = await linesOf(scenario.groundTruthRows('alarms', {}));
    expect(lines).toHaveLength(60);
    for (const line of lines) expect(lineForm(alarms)).toContain(line);
  });
});

describe('errors', () => {
  it.each([
    ['json', 'application/json; charset=utf-8', /^\{"type":"badToken","message":".+","errors":\[\]\}$/],
    ['text', 'text/plain; charset=utf-8', /^the header/],
    ['empty', null, /^$/],
  ] as const)('errorBody %s', async (errorBody, type, body) => {
    const { scenario } = await setUp({ errorBody });
    const refused = await callList(scenario, 'assets', {}, undefined);
    expect([refused.status, refused.headers.get('content-type')]).toEqual([401, type]);
    expect(refused.text).toMatch(body);
  });

  it('errorStatus', async () => {
    const { scenario, reply } = await setUp({
      errorStatus: { badToken: 403, badRequest: 422, badCredentials: 400 },
    });
    expect((await callList(scenario, 'alarms', {}, 'x')).status).toBe(403);
    expect((await reply('assets', { limit: -1 })).status).toBe(422);
    expect((await askToken(scenario, { clientSecret: 'x' })).status).toBe(400);
  });

  it('unknownParameters', async () => {
    const { scenario, reply } = await setUp({});
    expect((await reply('assets', { page: 2 })).status).toBe(200);
    await scenario.setOptions({ unknownParameters: 'refused' });
    expect((await reply('assets', { page: 2 })).status).toBe(400);
    expect((await reply('alarms', { offset: 2 })).status).toBe(400);
  });

  it('requestsPerMinute, over both lists, by the clock of the world', async () => {
    const { scenario, reply } = await setUp({ requestsPerMinute: 3, retryAfter: 'seconds' });
    // To the start of a minute, so that none ends while this runs.
    await scenario.advanceClock((60_000 - (Date.now() % 60_000)) / 1000);
    for (const kind of ['assets', 'alarms', 'assets'] as const)
      expect((await reply(kind, {})).status).toBe(200);
    const refused = await reply('alarms', {});
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await scenario.advanceClock(60);
    expect((await reply('alarms', {})).status).toBe(200);
  });
});

describe('the shape of answers', () => {
  it('envelopeExtra adds members and keeps the real ones', async () => {
    const { scenario, reply, page } = await setUp({});
    const plain = await page('assets', {});
    expect(Object.keys(plain)).toEqual(['items', 'metadata']);
    await scenario.setOptions({ envelopeExtra: true });
    const extra = await page('assets', {});
    expect(extra).toMatchObject(plain);
    expect(Object.keys(extra).length).toBeGreaterThan(2);
    expect(Object.keys(extra.metadata)).toContain('items');
    expect((await reply('assets', {})).text.indexOf('nextCursor')).toBeGreaterThan(0);
  });

  it('memberOrder', async () => {
    const { scenario, page } = await setUp({ memberOrder: 'metadataFirst' });
    expect(Object.keys(await page('alarms', {}))).toEqual(['metadata', 'items']);
    await scenario.setOptions({ memberOrder: 'itemsFirst' });
    expect(Object.keys(await page('alarms', {}))).toEqual(['items', 'metadata']);
  });

  it('prettyPrint spreads a page over lines, and the truth tells those texts', async () => {
    const { scenario, reply, page } = await setUp({ envelopeExtra: true, alarmsMaxPageSize: 60 });
    const compact = await page('alarms', {});
    await scenario.setOptions({ prettyPrint: true });
    const { text, json } = await reply('alarms', {});
    expect(text.split('\n').length).toBeGreaterThan(1000);
    expect(json).toEqual(compact);
    expect(text).toContain('\n  "items": [\n    {\n      "alarmId": "');
    for (const line of await linesOf(scenario.groundTruthRows('alarms', {})))
      expect(lineForm(text)).toContain(line);
    expect((await reply('alarms', { createdSince: '2030-01-01T00:00:00Z' })).text).toContain('"items": []');
  });

  it('dateHeader follows the clock of the world', async () => {
    const { scenario, reply } = await setUp({});
    const ahead = async (): Promise<number> => {
      const date = (await reply('assets', {})).headers.get('date');
      return Math.round((Date.parse(date ?? '') - Date.now()) / 60_000);
    };
    expect(await ahead()).toBeCloseTo(0);
    await scenario.advanceClock(7200);
    expect(await ahead()).toBeCloseTo(120);
    await scenario.setOptions({ dateHeader: -3600 });
    expect(await ahead()).toBeCloseTo(60);
    await scenario.setOptions({ dateHeader: 'absent' });
    expect((await reply('assets', {})).headers.has('date')).toBe(false);
  });

  it('createdFormat applies to both lists', async () => {
    const { page } = await setUp({ createdFormat: 'epochSeconds' });
    for (const kind of ['assets', 'alarms'] as const) {
      const created = column(await page(kind, {}), 'createdDate');
      expect(new Set(created.map((value) => typeof value))).toEqual(new Set(['number']));
    }
  });
});

describe('the request log', () => {
  it('sums up and lists what was asked, with latency', async () => {
    const { scenario, reply } = await setUp({ latencyMs: 400 });
    await scenario.clearRequests();
    await Promise.all([1, 2, 3].map((limit) => reply('assets', { limit })));
    await reply('alarms', { after: 'nonsense' });
    const { endpoints, last } = await scenario.requests();
    expect(endpoints.assets).toEqual({ count: 3, rows: 6, maxInFlight: 3, byStatus: { 200: 3 } });
    expect(endpoints.alarms).toMatchObject({ count: 1, rows: 0, byStatus: { 400: 1 } });
    expect(endpoints.token.count).toBe(0);
    expect(last).toHaveLength(4);
    expect(last.at(-1)).toMatchObject({
      endpoint: 'alarms',
      method: 'GET',
      path: `/w/${scenario.id}/alarm-api/v1/alarms`,
      query: { after: 'nonsense' },
      status: 400,
      rows: 0,
    });
    expect(Math.min(...last.map(({ ms }) => ms))).toBeGreaterThan(25);
    expect((await scenario.requests(1)).last).toEqual(last.slice(-1));
    await scenario.clearRequests();
    expect((await scenario.requests()).last).toEqual([]);
  });
});
