import { expect, test } from 'vitest';
import { truthTexts } from '../support/compare-rows.ts';
import type { PageView } from './page/page-view.ts';
import { compareItems, exactValue, isSameRow } from './compare-items.ts';
import { useSandbox } from './test-calls.ts';

const { open, url } = useSandbox();

const NONE = { count: 0, ids: [] };
const row = (value: string): string => `{"assetId":"a","aB":{"c":[${value}]}}`;

test.each([
  ['1.50', '1.5', true, true],
  ['1.50', '15e-1', true, true],
  ['1E-7', '0.0000001', true, true],
  ['1200', '1.2E+3', true, true],
  ['-0.0', '0', true, true],
  ['-1.5', '1.5', false, false],
  ['9007199254740993', '9007199254740992', false, false],
  ['0.1', '0.1000000000000000055511151231257827', false, false],
  ['10', '1', false, false],
  ['"1"', '1', false, false],
  ['"n1e0"', '1', false, false],
  ['"x"', '"\\u0078"', true, true],
  ['"1.50"', '"1.5"', false, false],
  ['{"d":1,"e":2}', '{"e":2,"d":1}', true, true],
  ['{"d":1}', '{"D":1}', false, true],
  ['"2024-01-01T01:00:00+01:00"', '"2024-01-01T00:00:00Z"', false, true],
  ['{"d":null}', '{}', false, true],
  ['{}', '{"d":1}', false, true],
  ['1,2', '1', false, false],
])('%s read as %s: equal %j, loosely equal %j', (sent, read, ...expected) => {
  const same = [false, true].map((loose) =>
    isSameRow(exactValue(row(sent), loose), exactValue(row(read), loose), loose),
  );
  expect(same).toStrictEqual(expected);
});

test('each repetition of a row is counted', () => {
  const known = new Map(['a', 'b', 'c'].map((id) => [id, 1]));
  const items = ['a', 'a', 'b', 'b', 'b', 'x'].map((id) => [id, id === 'b' ? 2 : 1] as const);
  expect(compareItems(items, ['a', 'c'], known, Object.is)).toStrictEqual({
    lost: ['c'],
    repeated: ['a', 'b', 'b'],
    altered: ['b'],
    unknown: ['x'],
  });
});

test('rows without a key are identified by their values', async () => {
  const { scenario } = await open({ positions: 30 });
  const texts = await truthTexts(scenario, 'positions', {});
  const { says } = await scenario.verdict('positions', texts.slice(1).concat('{"a":1}').join('\n'), false);
  expect(says).toBe('1 of 30 rows lost, 0 repeated, 0 altered, 1 unknown');
});

test('a verdict covers the rows since the mark and accepts all message formats', async () => {
  const { scenario } = await open({ assets: 30, alarms: 5 });
  await scenario.delete('assets', { count: 1 });
  await scenario.mark();
  const texts = await truthTexts(scenario, 'assets', {});
  const [deleted = ''] = await scenario.delete('assets', { count: 1 });
  await scenario.insert('assets', { count: 2 });
  const lines = texts.map((text, index) => {
    const other = text.replace(/"vin":"./, '"vin":"?');
    return [
      text,
      `{"type":"RECORD","record":{"stream":"assets","emitted_at":1,"data":${text}}}`,
      `{"type":"RECORD","stream":"assets","record":${index === 2 ? other : text}}`,
    ][index % 3];
  });
  const other = '{"type":"RECORD","stream":"alarms","record":{}}';
  const messages = ['{"type":"LOG","log":{}}', other, '', '{"assetId":"none"}'];
  // the first is lost, the third altered, the fourth repeated; the deleted one may be present or not
  const body = [...lines.slice(1), lines[3], ...messages].join('\n');
  const [first, third, fourth] = [0, 2, 3].map((index) => String(JSON.parse(texts[index] ?? '').assetId));
  expect(texts.join()).toContain(deleted);
  expect(await scenario.verdict('assets', body, false)).toStrictEqual({
    list: 'assets',
    rows: 30,
    lost: { count: 1, ids: [first] },
    repeated: { count: 1, ids: [fourth] },
    altered: { count: 1, ids: [third] },
    unknown: { count: 1, ids: ['none'] },
    says: '1 of 28 rows lost, 1 repeated, 1 altered, 1 unknown',
  });
  const view = (await (await fetch(`${url()}/worlds/${scenario.id}/view`)).json()) as PageView;
  expect(view.lists.find(({ name }) => name === 'assets')).toMatchObject({
    says: '1 of 28 rows lost, 1 repeated, 1 altered, 1 unknown',
    judged: { lost: [[expect.any(Number), expect.any(Number)]] },
  });
  const whole = await scenario.verdict('assets', texts.join('\n'), false);
  expect(whole).toMatchObject({ lost: NONE, unknown: NONE });
  const nothing = await scenario.verdict('assets', '', false);
  expect([nothing.lost.count, nothing.lost.ids.length]).toStrictEqual([28, 20]);
  expect(nothing.says).toBe('28 of 28 rows lost, 0 repeated, 0 altered');
  for (const line of ['{"a":01}', '[]', '7', '{'])
    await expect(scenario.verdict('assets', `{}\n\n${line}`, false)).rejects.toThrow(/400 .*line 3 is not/);
});
