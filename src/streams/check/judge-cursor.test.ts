import { describe, expect, test } from 'vitest';
import { MS } from '../../paging/instant.ts';
import { rowOf } from '../../rows/row.test-support.ts';
import { alarm, isoAt, type Item } from './alarm-items.test-support.ts';
import { chooseProbe, judgeCursorList } from './judge-cursor.ts';

const LIST = { name: 'alarms', place: 'alarms', path: '/v1/alarms' };
const CONFIG = { created_field: 'createdDate', id_field: 'alarmId', lookback_seconds: 300 };

interface Config {
  readonly created_field?: string;
  readonly id_field?: string | undefined;
  readonly lookback_seconds?: number;
  readonly start_date?: string;
}

/** A list in its order, and what a check sees of it. */
interface Facts {
  readonly items: readonly Item[];
  readonly boundField?: string | null; // that createdSince refers to; null: it is ignored
  readonly lateBy?: bigint; // ns by which the server takes a bound for a later one
  readonly page?: number; // rows of a page
  readonly isRefused?: boolean; // of the bound
}

const nanoseconds = (time: unknown): bigint => BigInt(Date.parse(String(time))) * MS;

const list = (count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));

const ALARMS = list(120, alarm);

/** The faults, or the result and its notes, one a line. */
function judged(facts: Facts, more: Config) {
  const { items, boundField = 'createdDate', lateBy = 0n, page = 50, isRefused = false } = facts;
  const { id_field, ...config } = { ...CONFIG, ...more };
  const since = (bound: bigint | null): Item[] =>
    items
      .filter(
        (item) => bound === null || boundField === null || nanoseconds(item[boundField]) >= bound + lateBy,
      )
      .slice(0, page);
  const rows = since(config.start_date === undefined ? null : nanoseconds(config.start_date)).map(rowOf);
  const probe = chooseProbe(rows, config);
  const answered = typeof probe === 'string' ? [] : since(probe.bound).map(rowOf);
  const answer = isRefused ? { refusal: 'alarms: refused (400)' } : answered;
  const verdict = judgeCursorList(LIST, id_field === undefined ? config : { ...config, id_field }, {
    rows,
    probe,
    answer,
  });
  return (verdict.kind === 'wrong' ? ['wrong', ...verdict.faults] : [verdict.result, ...verdict.notes]).join(
    '\n',
  );
}

describe('notes', () => {
  test.each<[what: string, facts: Facts, config: Config, note: RegExp]>([
    [
      'no key',
      { items: ALARMS },
      { id_field: undefined },
      /^ok\nthe stream has no primary key\. If .*, set alarms\.id_field, for example to "alarmId"$/,
    ],
    [
      'newest first',
      { items: ALARMS.toReversed() },
      {},
      /^ok\nthe list is in descending order of "createdDate" \(alarms\.created_field\)\. It is read completely, .*faster\ncreatedSince was not checked: the newest rows come first$/,
    ],
    [
      'in no order',
      {
        items: ALARMS.toSorted((one, other) =>
          String(one['alarmId']).localeCompare(String(other['alarmId'])),
        ),
      },
      {},
      /^ok\nthe list is not in ascending order of "createdDate"/,
    ],
    [
      'a field that is often empty',
      { items: ALARMS },
      { created_field: 'closedDate' },
      /"closedDate" \(alarms\.created_field\) has no readable time in 33 of 50 rows checked.*: "createdDate", "eventDate"$/,
    ],
    [
      'the time of the event, in order by chance',
      {
        items: list(60, (index) => ({
          alarmId: index,
          createdDate: isoAt(index * 10),
          eventDate: isoAt(index * 10 - 600),
        })),
      },
      { created_field: 'eventDate' },
      /^ok\ncreatedSince does not refer to "eventDate" .* since 2026-02-28T1\d:\d0:00\.000Z returned \d+ rows with an earlier time\. The rows fit "createdDate": set alarms\.created_field to the right one$/,
    ],
    [
      'the time of the event, where another time is later than the one of createdSince',
      {
        items: list(60, (index) => ({
          alarmId: index,
          createdDate: isoAt(index * 10),
          eventDate: isoAt(index * 10 - 100),
          dueDate: isoAt(index * 10 + 600),
        })),
      },
      { created_field: 'eventDate' },
      /The rows fit "createdDate": set alarms\.created_field to the right one$/,
    ],
    [
      'the time of the event, out of order',
      { items: ALARMS },
      { created_field: 'eventDate' },
      /^ok\ncreatedSince does not refer to "eventDate" .*The rows fit "createdDate"/,
    ],
    [
      'a server that ignores createdSince',
      { items: ALARMS.map(({ closedDate: _gone, eventDate: _too, ...rest }) => rest), boundField: null },
      {},
      /^ok\ncreatedSince does not refer to "createdDate" .*No other field fits; the server may ignore createdSince$/,
    ],
    [
      'a server that takes createdSince for a later time',
      {
        items: ALARMS.map(({ closedDate: _gone, eventDate: _too, ...rest }) => rest),
        lateBy: 7200n * 1_000_000_000n,
      },
      {},
      /^ok\ncreatedSince does not refer to "createdDate" .* did not return \d+ rows with a later time\. No other field fits; the server may take createdSince for a later time than it is, .* set alarms\.lookback_seconds to more than the difference$/,
    ],
    [
      'start_date, which the server ignores',
      { items: ALARMS, boundField: null },
      { start_date: '2026-03-01T05:00:00Z' },
      /^ok\ncreatedSince does not refer to "createdDate" .* since 2026-03-01T05:00:00\.000Z returned 30 rows/,
    ],
    [
      'no times at all',
      { items: list(9, (index) => ({ alarmId: index })) },
      {},
      /^ok, but for full_refresh only: "createdDate" \(alarms\.created_field\) is not a field of the 9 rows checked, and no other field has a time in every row$/,
    ],
  ])('%s', (_, facts, config, note) => {
    expect(judged(facts, config)).toMatch(note);
  });
});

describe('faults', () => {
  test.each<[what: string, config: Config, message: RegExp]>([
    [
      'a key that is not there',
      { id_field: 'id' },
      /^wrong\n"id" \(alarms\.id_field\) is not a field .*: "alarmId"\. Set .*, or omit it\.$/,
    ],
    ['a path', { id_field: 'alarm.id' }, /is a path, and paths into nested values are not supported/],
    [
      'a created_field that is not there',
      { created_field: 'created' },
      /^wrong\n"created" \(alarms\.created_field\) is not a field of the 100 rows checked\. Fields with a time in every row: "createdDate", "eventDate"\./,
    ],
    [
      'a created_field without times',
      { created_field: 'assetId' },
      /its values, such as "asset0", are no times\. Fields/,
    ],
  ])('%s', (_, config, message) => {
    expect(judged({ items: ALARMS, page: 100 }, config)).toMatch(message);
  });

  test.each<[what: string, facts: Facts, config: Config, message: RegExp]>([
    [
      'a form of time that the server refuses',
      { items: ALARMS, isRefused: true },
      {},
      /^wrong\nthe server refuses createdSince=2026-03-01T04:10:00\.000Z, a bound made from "createdDate" \(alarms\.created_field\), so .* the rows fit "eventDate"\. The server's answer: alarms: refused \(400\)$/,
    ],
    [
      'another time, far ahead, so that no row was created since',
      { items: list(90, (index) => ({ ...alarm(index), dueDate: isoAt(index * 10 + 2000) })), page: 30 },
      { created_field: 'dueDate' },
      /^wrong\nthe server returns no rows for createdSince=.*"dueDate" .*although 14 rows of those checked have a later time.* the rows fit "createdDate"/,
    ],
  ])('%s', (_, facts, config, message) => {
    expect(judged(facts, config)).toMatch(message);
  });

  test('a key with the same value in different rows', () => {
    const items = ALARMS.map((item, index) => ({ ...item, assetId: `asset${index % 4}` }));
    expect(judged({ items }, { id_field: 'assetId' })).toMatch(
      /^wrong\n"assetId" \(alarms\.id_field\) does not identify rows: 19 different rows of 75 checked have the value "asset0"\. .*: "alarmId"\./,
    );
  });

  const KEY = /"id" \(alarms\.id_field\) is not a field of .*"alarmId"\. Set .*, or omit it\./;
  test.each<[created: string, facts: Facts, other: RegExp]>([
    ['that is not there', { items: ALARMS }, /"created" \(alarms\.created_field\) is not a field/],
    [
      'whose bound is refused',
      { items: ALARMS.map((item) => ({ ...item, created: item['createdDate'] })), isRefused: true },
      /the server refuses createdSince=.* "created" /,
    ],
  ])('a wrong key is named together with a created_field %s', (_, facts, other) => {
    const message = judged(facts, { id_field: 'id', created_field: 'created' });
    expect(message).toMatch(new RegExp(`^wrong\n${KEY.source}\n${other.source}`));
  });
});

const at = (createdDate: string): Item => ({ createdDate });

test.each<[what: string, items: readonly Item[], probe: unknown]>([
  ['no times', [at('x'), at('y')], 'no row has a time'],
  ['two rows', ALARMS.slice(0, 2), 'there are fewer than 3 rows with a time'],
  ['newest first', ALARMS.toReversed(), 'the newest rows come first'],
  ['one instant', list(30, () => at(isoAt(0))), 'all rows have about the same time'],
  [
    'the middle, in the form of the rows',
    [at('2026-03-01'), at('2026-03-12'), at('2026-03-23')],
    { bound: nanoseconds('2026-03-12'), createdSince: '2026-03-12' },
  ],
])('the bound of a probe: %s', (_, items, probe) => {
  expect(chooseProbe(items.map(rowOf), CONFIG)).toStrictEqual(probe);
});
