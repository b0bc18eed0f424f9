import { expect, test } from 'vitest';
import { NUMBER, isHuge, isInteger, isWhole, numberKind, numbersIn } from './numbers.ts';

test.each([
  ['0', 'integer'],
  ['-0', 'integer'],
  ['9007199254740993', 'integer'],
  ['9223372036854775807', 'integer'],
  ['9223372036854775808', 'largeInteger'],
  ['-9223372036854775808', 'integer'],
  ['-9223372036854775809', 'largeInteger'],
  ['12345678901234567890', 'largeInteger'],
  ['9'.repeat(28), 'largeInteger'],
  [`1${'0'.repeat(28)}`, 'largeInteger'],
  [`1${'0'.repeat(29)}`, 'hugeInteger'],
  [`-${'9'.repeat(400)}`, 'hugeInteger'],
  ['1.0', 'decimal'],
  ['-0.0', 'decimal'],
  ['1E3', 'decimal'],
  ['0.123456789', 'decimal'],
  ['12.5e-3', 'decimal'],
  ['48.13715432', 'decimal'],
  ['1700000000.123456', 'decimal'],
  ['-1e5', 'decimal'],
  ['0e-400', 'decimal'],
  ['0.1234567891', 'double'],
  ['1e-10', 'double'],
  ['0.30000000000000004', 'double'],
  // times 10 to the 9 it is no longer exact, so a decimal of 38 digits differs
  ['9999999999999.99', 'double'],
  ['-1e28', 'double'],
  ['48.137154323456789', 'longNumber'],
  ['12345678901234567.5', 'longNumber'],
  ['-1e-400', 'longNumber'],
  ['-1e29', 'hugeDouble'],
  ['1.5E+300', 'hugeDouble'],
  [`${'9'.repeat(40)}.5`, 'hugeNumber'],
  ['1e400', 'hugeNumber'],
])('%s: %s', (number, kind) => {
  expect(numberKind(number)).toBe(kind);
  expect(isInteger(number)).toBe(kind === 'integer');
  expect(isWhole(number)).toBe(kind.endsWith('nteger'));
  expect(isHuge(number)).toBe(kind.startsWith('huge'));
});

test.each([
  ['-1.5', true],
  ['0', true],
  ['10e+05', true],
  ['01', false],
  ['+1', false],
  ['.5', false],
  ['1.', false],
  ['1e', false],
  ['--1', false],
  ['0x1', false],
  ['1,5', false],
  ['', false],
])('%j is a number of JSON: %s', (text, isOne) => {
  expect(new RegExp(`^${NUMBER}$`).test(text)).toBe(isOne);
});

test('the numbers in a text are found as they are written, but not in its strings', () => {
  const json = '{"a 1":[-1.50,"2\\"3",{"4":5e+6}],"\\\\":7}';
  const found = [...numbersIn(json)];
  expect(found.map(({ number }) => number)).toStrictEqual(['-1.50', '5e+6', '7']);
  for (const { number, at } of found) expect(json.slice(at, at + number.length)).toBe(number);
});
