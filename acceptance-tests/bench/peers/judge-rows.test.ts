import { expect, test } from 'vitest';

import { judgeRows } from './judge-rows.ts';

const row = (id: string, value: string): string => `{"assetId":"${id}","aB":{"c":[${value}]}}`;
const record = (text: string): string => `{"type":"RECORD","record":{"stream":"assets","data":${text}}}`;

test.each([
  ['1.50', '1.5', true],
  ['1.50', '15e-1', true],
  ['1E-7', '0.0000001', true],
  ['1200', '1.2E+3', true],
  ['-0.0', '0', true],
  ['-1.5', '1.5', false],
  ['9007199254740993', '9007199254740992', false],
  ['0.1', '0.1000000000000000055511151231257827', false],
  ['10', '1', false],
  ['"1"', '1', false],
  ['"x"', '"y"', false],
  ['"1.50"', '"1.5"', false],
  ['"2024-01-01T01:00:00+01:00"', '"2024-01-01T00:00:00Z"', true],
  ['{"d":null}', '{}', true],
  ['1,2', '1', false],
])('%s that came out as %s is the same: %j', (sent, given, isSame) => {
  const source = [row('a', sent)];
  expect(judgeRows([record(row('a', given))], source, source).altered).toBe(isSame ? 0 : 1);
});

test('rows that are missing, that came twice and that hold another value are counted', () => {
  const sources = ['a', 'b', 'c', 'd'].map((id) => row(id, '1'));
  const given = [
    record(row('a', '1')),
    '{"type":"RECORD","record":{"asset_id": "a", "a_b": {"c": [1]}}}',
    record(row('b', '2')),
    record('{"assetId":"c"}'),
  ];
  expect(judgeRows(given, sources, sources)).toStrictEqual({ lost: 1, doubled: 1, altered: 2 });
});
