import { describe, expect, test } from 'vitest';
import { rowOf, rowsOf } from '../rows/row.test-support.ts';
import { compareRows } from './compare-rows.ts';

const nullable = (...types: string[]): object => ({ type: ['null', ...types] });
const TIME = { ...nullable('string'), format: 'date-time', airbyte_type: 'timestamp_with_timezone' };
const NO_DATE =
  'is declared as date-time but holds a date or time that does not exist (such as February 30 or second 60)';
const LONG = 'holds numbers with more digits than loaders preserve';

/** Returns what is reported about a value in a field with a schema; null if nothing. */
function fault(schema: unknown, value: string): string | null {
  const message = compareRows('assets', { f: schema }, null).compare([rowOf(`{"f": ${value}}`)]);
  return /rows: "f" (.*)\. A summary at the end/.exec(message ?? '')?.[1] ?? message;
}

test('a number of a million digits is inspected quickly', () => {
  expect(fault(nullable('number'), `1.${'0'.repeat(1_000_000)}1`)).toBe(LONG);
});

test.each([
  ['1e40', null],
  ['0.1234567890123456789', LONG],
])('%s in 100,000 arrays is inspected', (number, message) => {
  const value = `${'['.repeat(100_000)}${number}${']'.repeat(100_000)}`;
  expect(fault(nullable('array'), value)).toBe(message);
});

describe('values in a column', () => {
  test.each<[schema: unknown, value: string, message: string | null]>([
    [nullable('integer'), '-9223372036854775808', null],
    [nullable('integer'), 'null', null],
    [{ type: 'integer' }, 'null', null],
    [
      nullable('integer'),
      '9223372036854775808',
      'is declared as integer but holds an integer beyond 64 bits',
    ],
    [nullable('integer'), '400.5', 'is declared as integer but holds a fraction or exponent'],
    [nullable('integer'), '1e3', 'is declared as integer but holds a fraction or exponent'],
    [nullable('integer'), '"x"', 'is declared as integer but holds a string'],
    [nullable('integer'), 'true', 'is declared as integer but holds a boolean'],
    [nullable('integer'), '{}', 'is declared as integer but holds an object'],
    [
      { type: 'number', airbyte_type: 'integer' },
      '0.5',
      'is declared as integer but holds a fraction or exponent',
    ],
    [nullable('number'), '7', null],
    [nullable('number'), '1234567890123456789012345', null],
    [nullable('number'), '-1.10', null],
    [nullable('number'), '0.123456789', null],
    [nullable('number'), '1234567.123456', null],
    [nullable('number'), '48.13715432', null],
    [nullable('number'), '12345678.5', null],
    // times 10 to the 9 it is no longer exact, so a decimal of 38 digits differs
    [nullable('number'), '9999999999999.99', LONG],
    [nullable('string', 'number'), '9999999999999.99', null],
    [nullable('string', 'number'), '48.13715432345679', null],
    [nullable('string', 'number'), '48.137154323456789', LONG],
    [nullable('number'), '0.1234567891', LONG],
    [nullable('number'), '1e-10', LONG],
    [nullable('number'), '1.000000000000', null],
    [nullable('number'), '12.5e-3', null],
    [nullable('number'), '48.137154323456789', LONG],
    [nullable('number'), '1234567890123456.5', LONG],
    [nullable('number'), '1e-400', LONG],
    [nullable('number'), '0e-400', null],
    [
      nullable('number'),
      '9'.repeat(30),
      'is declared as number but holds a number beyond the range of decimals of 38 digits',
    ],
    [
      nullable('number'),
      '1e30',
      'is declared as number but holds a number beyond the range of decimals of 38 digits',
    ],
    [nullable('number'), 'false', 'is declared as number but holds a boolean'],
    [nullable('string', 'number'), '9'.repeat(30), null],
    [nullable('string', 'number'), '1e-10', null],
    [nullable('string', 'number'), '1e400', LONG],
    [nullable('boolean'), '2', 'is declared as boolean but holds an integer'],
    [nullable('string', 'integer', 'boolean'), '2', null],
    [nullable('string'), '2', 'is declared as string but holds an integer'],
    [nullable('string'), '"\\u00e9"', null],
    [TIME, '"2025-01-31T10:00:00Z"', null],
    [TIME, '"2025-01-31T10:00:00.123456+00:00"', null],
    [
      TIME,
      '"2025-01-31T10:00:00+02:00"',
      'is declared as date-time but holds a time that is not RFC 3339 in UTC, to microseconds',
    ],
    [
      TIME,
      '"2025-01-31T10:00:00.1234567Z"',
      'is declared as date-time but holds a time that is not RFC 3339 in UTC, to microseconds',
    ],
    [
      TIME,
      '"2025-01-31T10:00:00"',
      'is declared as date-time but holds a time that is not RFC 3339 in UTC, to microseconds',
    ],
    [TIME, '"never"', 'is declared as date-time but holds a string that is not a time'],
    [TIME, '"2025-02-30T10:00:00Z"', NO_DATE],
    [TIME, '"2025-01-31T23:59:60Z"', NO_DATE],
    [TIME, '"2025-01-31 24:00"', NO_DATE],
    [
      TIME,
      '"2025-01-31T10:00+00:00"',
      'is declared as date-time but holds a time that is not RFC 3339 in UTC, to microseconds',
    ],
    [TIME, '""', 'is declared as date-time but holds a string that is not a time'],
    [TIME, '1', 'is declared as date-time but holds an integer'],
    [{ type: 'string', airbyte_type: 'timestamp_without_timezone' }, '"2025-01-31T10:00:00.5"', null],
    [nullable('object'), '{"a": [1.10, "1e400", 12345678901234567890123]}', null],
    [nullable('object'), '{"a": [{"b": 1e400}]}', LONG],
    [nullable('array'), '["\\"", 0.12345678901234567]', LONG],
    [nullable('array'), '{}', 'is declared as array but holds an object'],
    [{}, '{"a": 1}', null],
    [true, '"x"', null],
    [{ $ref: '#/a' }, '1.5', null],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, '"x"', 'is declared as integer but holds a string'],
    [{ oneOf: [{ type: 'integer' }, {}] }, '"x"', null],
  ])('%j: %s', (schema, value, message) => {
    expect(fault(schema, value)).toBe(message);
  });
});

test('times are read correctly on each day, in any order', () => {
  const times = [
    '2025-01-31T10:00:00Z',
    '2025-01-30T23:59:59.5Z',
    '2025-02-29T10:00:00Z',
    '2025-01-30T24:00:00Z',
  ];
  const comparison = compareRows('alarms', { at: TIME }, null);
  expect(times.map((time) => comparison.compare([rowOf({ at: time })]) === null)).toStrictEqual([
    true,
    true,
    false,
    true,
  ]);
  expect(comparison.summary()).toContain('(2 times)');
});

test('each finding is reported once, before its rows are written, and all of them at the end, with counts and advice', () => {
  const comparison = compareRows('assets', { axles: nullable('integer'), vin: nullable('string') }, 'id');
  expect(comparison.compare(rowsOf(['{"axles":1,"vin":null}', '{"axles":2.5,"note":"n-canary"}']))).toBe(
    'assets: warehouses may drop, truncate or reject values in rows: "axles" is declared as integer but holds a fraction or ' +
      'exponent; "note" is not declared. A summary at the end of the read counts them and explains what to do.',
  );
  expect(comparison.compare(rowsOf(['{"axles":3.5,"note":"n-canary"}', '{"note":null}']))).toBeNull();
  expect(comparison.compare(rowsOf(['{"axles":"a-canary"}']))).toContain(
    ': "axles" is declared as integer but holds a string. ',
  );
  expect(comparison.summary()).toBe(
    'assets: warehouses may drop, truncate or reject values in rows: "axles" is declared as integer but holds a fraction or ' +
      'exponent (2 times); "axles" is declared as integer but holds a string (1 time); "note" is not declared (2 times). ' +
      'To declare fields as they are, set "sample_rows" to 1000 or more, discover the schema again, apply it, and reload the ' +
      'stream; for fields that were deselected there is nothing to do. The records themselves contain every value exactly; docs/warehouse.md explains what loaders do with them.',
  );
});

test('the recommended sample covers the rows of the read twice', () => {
  const comparison = compareRows('assets', {}, null);
  for (let page = 0; page < 10; page++)
    comparison.compare(rowsOf(Array.from({ length: 617 }, () => '{"a":1}')));
  expect(comparison.summary()).toContain('set "sample_rows" to 13000 or more');
});

test('nothing is reported about rows that match their schema', () => {
  const comparison = compareRows('assets', { a: nullable('integer') }, null);
  expect(comparison.compare(rowsOf(['{"a":1}', '{"a":null}', '{"b":null}', '{"c":null,"a":2}']))).toBeNull();
  expect(comparison.summary()).toBeNull();
});

/** Returns what is reported about a row that follows a faultless one. */
function second(row: string): string | null {
  return compareRows('alarms', null, null).compare(rowsOf(['{"a":1}', row]));
}

describe('an unpaired surrogate', () => {
  test.each<[string, Readonly<Record<string, unknown>> | null]>([
    ['with a schema', { id: nullable('string'), note: nullable('string') }],
    ['without one', null],
  ])('is reported with the first row and the field, and counted, %s', (_, declared) => {
    const comparison = compareRows('alarms', declared, 'id');
    const rows = [
      '{"id":"a","note":"\\ud83d\\ude00"}',
      '{"id":"b","note":"x\\ud83d"}',
      '{"id":"c","note":"\\udE00"}',
    ];
    expect(comparison.compare(rowsOf(rows))).toContain(
      ': the row whose "id" is "b" has an unpaired surrogate in "note", and loaders drop such rows. ',
    );
    expect(comparison.compare(rowsOf(rows))).toBeNull();
    expect(comparison.summary()).toContain(
      'in "note", and loaders drop such rows (4 such rows). The records',
    );
  });

  test('is found in a name, or deep in a value, of a row without a key', () => {
    expect(second('{"b":{"c":["\\uD800"]}}')).toContain(': row 2 has an unpaired surrogate in "b", ');
    expect(second('{"\\uD800x":1}')).toContain(': row 2 has an unpaired surrogate in "\\ud800x", ');
    expect(second('{"b":"\\\\ud800"}')).toBeNull();
    const alike = Array.from({ length: 3 }, () => '{"a":1,"\\uD800x":1}');
    const comparison = compareRows('alarms', null, null);
    comparison.compare(rowsOf(alike));
    expect(comparison.summary()).toContain('(3 such rows)');
  });
});

test('messages are few and short, whatever rows contain', () => {
  const comparison = compareRows('alarms', {}, 'id');
  const told: string[] = [];
  for (let page = 0; page < 40; page++) {
    const rows = Array.from(
      { length: 200 },
      (_, row) => `{"${'n'.repeat(500)}${page}-${row}":1,"f${page * 200 + row}":1}`,
    );
    const message = comparison.compare(rowsOf(rows));
    if (message !== null) told.push(message);
  }
  told.push(comparison.summary() ?? '');
  expect(told.length).toBeLessThanOrEqual(11);
  for (const message of told) expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4096);
  expect(told.at(-1)).toMatch(/; and \d+ more\. /);
});

test('new findings are reported ten times, and all of them at the end', () => {
  const comparison = compareRows('alarms', {}, null);
  const told = Array.from({ length: 12 }, (_, page) => comparison.compare([rowOf(`{"f${page}":1}`)]));
  expect(told.map((message) => message !== null)).toStrictEqual(told.map((_, page) => page < 10));
  expect(comparison.summary()).toContain('"f11" is not declared');
});

const ONE = 'become one column, and one overwrites the other';

test('declared names that become one column are reported once there are rows', () => {
  const names = { a: {}, createdAt: {}, A: {}, 'created-at': {}, created_at: {} };
  const comparison = compareRows('assets', names, null);
  expect([comparison.compare([]), comparison.summary()]).toStrictEqual([null, null]);
  const message = `"a" and "A" ${ONE}; "created-at" and "created_at" ${ONE}`;
  expect(comparison.compare(rowsOf(['{"a":1,"A":2}']))).toContain(`rows: ${message}. `);
  expect(comparison.compare(rowsOf(['{"a":1}']))).toBeNull();
  expect(comparison.summary()).toContain(`rows: ${message}. `);
});

describe('the name of an undeclared field is checked before its first row is written', () => {
  const declared = { assetId: {}, plate: {}, _1st: {} };
  test.each([
    ['{"AssetID":null}', `"assetId" (the key) and "AssetID" ${ONE}`],
    ['{"1st":1}', `"_1st" and "1st" ${ONE}`],
    ['{"pl\u0041te":1}', `"plate" and "plAte" ${ONE}`],
    ['{"odo meter":null,"odo-meter":1}', `"odo meter" and "odo-meter" ${ONE}`],
    ['{"größe":null,"gr__e":null}', `"größe" and "gr__e" ${ONE}`],
    ['{"":null}', '"" contains no ASCII letter or digit, and loaders may reject all rows'],
    ['{"_%_":1}', '"_%_" contains no ASCII letter or digit, and loaders may reject all rows'],
    [
      '{"_Airbyte-raw_id":1}',
      '"_Airbyte-raw_id" is reserved by loaders, which overwrite it with their own column',
    ],
  ])('%s', (row, message) => {
    const comparison = compareRows('assets', declared, 'assetId');
    expect(comparison.compare([rowOf('{"assetId":"a","plate":"x"}')])).toBeNull();
    expect(comparison.compare([rowOf(row)])).toContain(`rows: ${message}`);
    expect(comparison.compare([rowOf(row)])).toBeNull();
    expect(comparison.summary()).toContain(`rows: ${message}`);
  });

  test('nothing is reported if no names collide', () => {
    const comparison = compareRows('assets', declared, 'assetId');
    expect(comparison.compare([rowOf('{"asset_id":null,"airbyte_id":null,"plates":null}')])).toBeNull();
    expect(compareRows('assets', null, 'assetId').compare([rowOf('{"":1,"A":1,"a":1}')])).toBeNull();
  });

  test('is checked even after ten messages, and after more fields than are remembered', () => {
    const comparison = compareRows('assets', declared, 'assetId');
    for (let field = 0; field < 5_000; field++) comparison.compare([rowOf(`{"f${field}":1}`)]);
    const message = comparison.compare([rowOf('{"assetID":"a"}')]);
    expect(message).toContain(`rows: "assetId" (the key) and "assetID" ${ONE}. `);
  });
});
