import { expect, test } from 'vitest';
import { truthTexts } from '../../support/compare-rows.ts';
import { startFixedApi } from '../../support/fixed-api.ts';
import { recordTexts } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';

const bed = useTestBed();

test('a record is the text that the API sent: numbers, escapes, order and blanks included', async () => {
  const numbers =
    '{ "b":9007199254740993,"a":1.10,"z":-0.0 , "tiny":1E-7,"e":1e400,"long":12345678901234567890.10 }';
  const escapes = String.raw`{"createdDate":null,"x":"\u0041\/","A":"\ud83d\ude9b","nested":{"items":[{}],"pagination":null},"":[]}`;
  const breaks = '{"createdDate":"2026-01-01T00:00:00Z","t":"a\u2028b\u2029c\u0085d"}';
  const spread = '{\r\n  "createdDate": "2026-01-02T00:00:00Z",\n  "list": [\n    1.0\n  ]\n}';
  const api = await startFixedApi({
    assets: `{"items":[${numbers}],"metadata":{"pagination":{"totalCount":1}}}`,
    alarms: `{"metadata":{"pagination":{"nextCursor":""}},"items":[${escapes}, ${breaks} ,${spread}]}`,
  });
  const run = await bed.run(['read'], { config: api.config });
  await api.close();
  expect(run.code).toBe(0);
  expect(recordTexts(run, 'assets')).toStrictEqual([numbers]);
  expect(recordTexts(run, 'alarms')).toStrictEqual([
    escapes,
    String.raw`{"createdDate":"2026-01-01T00:00:00Z","t":"a\u2028b\u2029c\u0085d"}`,
    '{    "createdDate": "2026-01-02T00:00:00Z",   "list": [     1.0   ] }',
  ]);
});

test('the same for rows of the sandbox, in the order of the list', async () => {
  const world = await bed.world({ assets: 60, alarms: 60 });
  const run = await world.run('read', {});
  const [assets, alarms] = [await truthTexts(world, 'assets', {}), await truthTexts(world, 'alarms', {})];
  expect(recordTexts(run, 'assets')).toStrictEqual(assets.toReversed());
  expect(recordTexts(run, 'alarms')).toStrictEqual(alarms);
  for (const piece of [':1.10', ':-0.0', '1E-7', ':900719925474', String.raw`\u2028`, String.raw`\/`, '🔋'])
    expect(alarms.join(''), piece).toContain(piece);
});
