import { expect, test } from 'vitest';

import { isSameNumber, numberTexts } from './number-texts.ts';

test('numbers are found by their place, as they are written', () => {
  const text = '{"aB":{"c_d":[1.50,{"e":-0.0},"7"]},"f":"{\\"g\\":1}","h":[[],[9007199254740993]],"i":1E-7}';
  expect([...numberTexts(text)]).toStrictEqual([
    ['ab.cd.0', '1.50'],
    ['ab.cd.1.e', '-0.0'],
    ['h.1.0', '9007199254740993'],
    ['i', '1E-7'],
  ]);
});

test.each([
  ['1.50', '1.5', true],
  ['1.50', '15e-1', true],
  ['1E-7', '0.0000001', true],
  ['1200', '1.2E+3', true],
  ['-0.0', '0', true],
  ['0.00', '0', true],
  ['-1.5', '1.5', false],
  ['9007199254740993', '9007199254740992', false],
  ['0.1', '0.1000000000000000055511151231257827', false],
  ['10', '1', false],
])('%s and %s: %j', (a, b, isSame) => {
  expect(isSameNumber(a, b)).toBe(isSame);
});
