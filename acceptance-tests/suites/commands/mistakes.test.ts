// the mistakes of new users, each cured by the first message of check
import { describe, expect, test } from 'vitest';
import { useFleetApi, type FleetChanges } from '../../support/fleet-api.ts';
import { errors, logs, statuses, verdict } from '../../support/run-views.ts';
import { start } from '../process/process-fixture.ts';

const DRIVERS = {
  paging: 'offset',
  name: 'drivers',
  path: '/v1/drivers',
  id_field: 'driverId',
  page_size: 50,
};

interface Mistake {
  readonly drivers?: object;
  readonly alarms?: object;
  readonly api?: FleetChanges;
}

async function setUp({ drivers = {}, alarms = {}, api = {} }: Mistake) {
  const { account, base_url, requests } = await useFleetApi(730, api);
  const config = {
    ...account,
    alarms: { base_url, id_field: 'alarmId', ...alarms },
    lists: [{ ...DRIVERS, base_url, ...drivers }],
  };
  const run = async (command: string) => ({
    ...(await (await start(command, config, {})).ended()),
    lines: [],
  });
  return { run, requests };
}

async function check(mistake: Mistake) {
  const { run, requests } = await setUp(mistake);
  const result = verdict(await run('check'));
  for (const list of ['/v1/drivers', '/v1/alarms'])
    expect(requests.filter((path) => path.startsWith(list)).length).toBeLessThanOrEqual(3);
  return { status: result.status, text: result.lines.join('\n') };
}

test('a right config', async () => {
  expect(await check({})).toStrictEqual({ status: 'SUCCEEDED', text: 'alarms: ok\ndrivers: ok (730 rows)' });
  const { text } = await check({ alarms: { start_date: '2026-03-02T00:00:00Z' } });
  expect(text).toBe('alarms: ok\ndrivers: ok (730 rows)');
});

describe('FAILED', () => {
  test.each<[what: string, Mistake, message: RegExp]>([
    [
      'id for driverId',
      { drivers: { id_field: 'id' } },
      /^drivers: "id" \(lists\[0\]\.id_field\) is not a field of the 50 rows checked\. Fields that identify the rows, best first: "driverId"\. Set lists\[0\]\.id_field to the right one\.$/m,
    ],
    [
      'a created_field that is not there',
      { alarms: { created_field: 'created_at' } },
      /^alarms: "created_at" \(alarms\.created_field\) is not a field of .*: "createdDate", "eventDate"\. Set alarms\.created_field to/m,
    ],
    [
      'an ID of something else, of a cursor list',
      {
        alarms: { id_field: 'assetId' },
        api: { alarm: (row, index) => ({ ...row, assetId: `asset-${index % 6}` }) },
      },
      /^alarms: "assetId" \(alarms\.id_field\) does not identify rows: .*best first: "alarmId"\. Set alarms\.id_field to the right one, or omit it\.$/m,
    ],
    [
      'a path',
      { drivers: { id_field: 'license.id' } },
      /^drivers: "license\.id" \(lists\[0\]\.id_field\) is a path, and paths into nested values are not supported: .*"driverId"\. Set/m,
    ],
    [
      'an ID of something else, of an offset list',
      { drivers: { id_field: 'depotId' } },
      /^drivers: "depotId" \(lists\[0\]\.id_field\) does not identify rows: 10 different rows of 50 checked have the value "depot-0"\. .*: "driverId"\. Set/m,
    ],
    [
      'a created_field without times',
      { alarms: { created_field: 'attribute3' } },
      /^alarms: "attribute3" \(alarms\.created_field\) has no readable time in any of \d+ rows checked: its values, such as "3-0", are no times\./m,
    ],
  ])('%s', async (_, mistake, message) => {
    const { status, text } = await check(mistake);
    expect(text).toMatch(message);
    expect(status).toBe('FAILED');
  });
});

describe('a note', () => {
  test.each<[what: string, Mistake, note: RegExp]>([
    [
      'the time of the event',
      { alarms: { created_field: 'eventDate' } },
      /^alarms: ok\. Note: createdSince does not refer to "eventDate" \(alarms\.created_field\): .* returned \d+ rows? with an earlier time\. The rows fit "createdDate": set alarms\.created_field to the right one\.$/m,
    ],
    [
      'no key',
      { alarms: { id_field: undefined } },
      /^alarms: ok\. Note: the stream has no primary key\. .* set alarms\.id_field, for example to "alarmId"\.$/m,
    ],
    [
      'a created_field that is often empty',
      { alarms: { created_field: 'closedDate' } },
      /^alarms: ok\. Note: "closedDate" \(alarms\.created_field\) has no readable time in 33 of 50 rows checked; such rows do not advance the state\. Fields with a time in every row: "createdDate", "eventDate"\./m,
    ],
    [
      'a server that ignores createdSince',
      { alarms: { start_date: '2026-03-02T00:00:00Z' }, api: { boundField: null } },
      /^alarms: ok\. Note: createdSince does not refer to "createdDate" .*the server may ignore createdSince\.$/m,
    ],
    [
      'newest first',
      { api: { newestFirst: true } },
      /^alarms: ok\. Note: the list is in descending order of "createdDate"/m,
    ],
    [
      'some rows without a key',
      { api: { driver: (row, index) => (index % 10 === 3 ? { ...row, driverId: null } : row) } },
      /^drivers: ok \(730 rows\)\. Note: 5 of 50 rows checked have no string or number in "driverId"\./m,
    ],
  ])('%s', async (_, mistake, note) => {
    const { status, text } = await check(mistake);
    expect(text).toMatch(note);
    expect(status).toBe('SUCCEEDED');
  });
});

describe('a read with a wrong key says so once', () => {
  test('of a list by offset', async () => {
    const { run } = await setUp({ drivers: { id_field: 'depotId' } });
    const result = await run('read --streams drivers');
    const warnings = logs(result, 'WARN').filter((line) => line.includes('different rows have the value'));
    expect(warnings).toStrictEqual([
      'drivers: different rows have the value "depot-0" in "depotId" (lists[0].id_field). Only the first row of a page with it is emitted. ' +
        'If they are not versions of one row, "depotId" does not identify rows: correct lists[0].id_field; check proposes fields.',
    ]);
    expect(errors(result)).toMatchObject([{ stream_descriptor: { name: 'drivers' } }]);
  });

  test('of a list by cursor', async () => {
    const { run } = await setUp({
      alarms: { id_field: 'assetId' },
      api: { alarm: (row, index) => ({ ...row, assetId: `asset-${index % 300}` }) },
    });
    const result = await run('read --streams alarms');
    const warnings = logs(result, 'WARN').filter((line) => line.includes('different rows have the value'));
    expect(warnings).toStrictEqual([
      'alarms: different rows have the value "asset-0" in "assetId" (alarms.id_field). All of them are emitted, but a destination that ' +
        'merges by primary key keeps one of them. If they are not versions of one row, "assetId" does not identify rows: correct ' +
        'alarms.id_field; check proposes fields.',
    ]);
    expect(statuses(result, 'alarms').at(-1)).toBe('COMPLETE');
  });

  test('with right keys nothing is said', async () => {
    const { run } = await setUp({});
    const result = await run('read');
    expect([result.code, logs(result, 'WARN')]).toStrictEqual([0, []]);
  });
});
