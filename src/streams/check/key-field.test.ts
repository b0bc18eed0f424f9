import { describe, expect, test } from 'vitest';
import { rowOf, rowsOf } from '../../rows/row.test-support.ts';
import type { Row } from '../../rows/row.ts';
import { keyFacts, keyFault, keyNotes, keyProposals, type KeyRole } from './key-field.ts';

const LIST = { name: 'drivers', place: 'lists[0]', path: '/v1/drivers' };

const rows = (count: number, fields: (index: number) => object): Row[] =>
  Array.from({ length: count }, (_, index) => rowOf(fields(index)));

const ROWS = rows(20, (index) => ({
  depotId: index % 3,
  vehicleId: `v${index}`,
  createdDate: `2026-01-01T00:00:${10 + index}Z`,
  odometer: index + 0.5,
  driverNumber: index,
  id: index,
  driver_id: `d${index}`,
  externalId: index === 4 ? null : index,
  active: true,
}));

describe('what rows say about a key', () => {
  test.each<[field: string, lacking: number, repeated: object | null]>([
    ['driver_id', 0, null],
    ['depotId', 0, { value: '0', rows: 7 }],
    ['externalId', 1, null],
    ['active', 20, null],
    ['toString', 20, null],
  ])('%s', (field, lacking, repeated) => {
    expect(keyFacts(ROWS, field)).toStrictEqual({ lacking, repeated });
  });

  test('the same row twice does not repeat its key, and a number is no text', () => {
    const same = rowsOf(['{"id":1}', '{"id":1}', '{"id":"1"}', '{"id":""}']);
    expect(keyFacts(same, 'id')).toStrictEqual({ lacking: 1, repeated: null });
    expect(keyFacts(rowsOf(['{"id":1}', '{"id":1,"a":2}']), 'id').repeated).toStrictEqual({
      value: '1',
      rows: 2,
    });
  });
});

describe('proposals', () => {
  test('those named like the key of the list, best first', () => {
    expect(keyProposals(ROWS, LIST, null)).toStrictEqual({
      fields: ['driver_id', 'id', 'driverNumber'],
      isNamed: true,
    });
    expect(keyProposals(ROWS, { name: 'eu_drivers' }, null).fields[0]).toBe('driver_id');
    // wrong in its spelling only
    expect(keyProposals(ROWS, LIST, 'DriverNumber').fields[0]).toBe('driverNumber');
  });

  test.each([
    ['addresses', 'addressId'],
    ['boxes', 'boxUuid'],
    ['entries', 'ENTRY_ID'],
    ['houses', 'houseKey'],
    ['news', 'newsId'],
    ['tyre_pressures', 'tyrePressureId'],
    ['tyre_pressures', 'pressureId'],
  ])('the key of %s is %s', (name, key) => {
    const found = keyProposals(
      rows(2, (index) => ({ otherId: index, [key]: index })),
      { name },
      null,
    );
    expect(found).toStrictEqual({ fields: [key], isNamed: true });
  });

  test('if none is named like it: IDs first, no times and fractions, and nothing from a single row', () => {
    expect(keyProposals(ROWS, { name: 'fahrer' }, null).fields).toStrictEqual(['id']);
    const others = rows(3, (index) => ({
      code: index,
      at: `2026-01-0${index + 1}`,
      x: index / 3,
      vehicleId: index,
    }));
    expect(keyProposals(others, { name: 'fahrer' }, null)).toStrictEqual({
      fields: ['vehicleId', 'code'],
      isNamed: false,
    });
    expect(keyProposals(others.slice(0, 1), { name: 'fahrer' }, null).fields).toStrictEqual([]);
  });
});

const BEST =
  'Fields that identify the rows, best first: "driver_id", "id", "driverNumber". Set lists[0].id_field to the right one';

describe('the fault of a key', () => {
  test.each<[key: string, role: KeyRole, fault: string | null]>([
    ['driver_id', 'required', null],
    // such rows are counted
    ['externalId', 'required', null],
    [
      'depotId',
      'required',
      `"depotId" (lists[0].id_field) does not identify rows: 7 different rows of 20 checked have the value "0". ${BEST}.`,
    ],
    [
      'driverId',
      'required',
      `"driverId" (lists[0].id_field) is not a field of the 20 rows checked. ${BEST}.`,
    ],
    [
      'driverId',
      'optional',
      `"driverId" (lists[0].id_field) is not a field of the 20 rows checked. ${BEST}, or omit it.`,
    ],
    [
      'driver.id',
      'required',
      `"driver.id" (lists[0].id_field) is a path, and paths into nested values are not supported: only a top-level field can be used. ${BEST}.`,
    ],
    [
      'active',
      'required',
      `"active" (lists[0].id_field) has no string or number in any of 20 rows checked: its values are such as true. ${BEST}.`,
    ],
    [
      'externalId',
      'optional',
      `"externalId" (lists[0].id_field) has no string or number in 1 of 20 rows checked. ${BEST}, or omit it.`,
    ],
  ])('%s, which is %s', (key, role, fault) => {
    expect(keyFault(LIST, key, role, ROWS)).toBe(fault);
  });

  test('of the key of a predefined list', () => {
    const assets = { name: 'assets', place: 'assets', path: '/v1/assets' };
    expect(
      keyFault(
        assets,
        'assetId',
        'fixed',
        rows(2, (vin) => ({ vin })),
      ),
    ).toBe(
      '"assetId" is not a field of the 2 rows checked. The key of assets is fixed: check assets.base_url. If this is the right ' +
        'list, remove "assets" from the config, and add an entry to "lists" with another "name", "path": "/v1/assets" and "id_field": ' +
        'the field that identifies a row (such as "vin").',
    );
  });

  test('of rows without a key', () => {
    const none = rows(3, (index) => ({ a: 1, b: index > 0 ? 2 : 1, c: index + 0.5 }));
    expect(keyFault(LIST, 'id', 'required', none)).toMatch(
      /No other field identifies the rows either, and without/,
    );
    expect(keyFault(LIST, 'id', 'optional', none)).toMatch(/either; omit lists\[0\]\.id_field\.$/);
  });
});

test('a note if another field is named like the key', () => {
  expect(keyNotes(LIST, 'vehicleId', ROWS)).toStrictEqual([
    '"vehicleId" differs in all rows checked, but "driver_id" is named like the ID of a row. If "vehicleId" identifies something else, ' +
      'set lists[0].id_field to "driver_id"',
  ]);
  for (const key of ['driver_id', 'id', 'driverNumber']) expect(keyNotes(LIST, key, ROWS)).toStrictEqual([]);
  expect(keyNotes({ ...LIST, name: 'fahrer' }, 'vehicleId', ROWS)).toStrictEqual([]);
});
