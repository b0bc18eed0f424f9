import { expect, test } from 'vitest';
import type { ListClient } from '../api/client.ts';
import { CONFIG, NOW_MS, readFrom } from './cursor-cases.fake.ts';
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  clientOf,
  everyMinute,
  listed,
  serviceOf,
  type Service,
} from './cursor-service.fake.ts';
import type { CursorConfig } from './cursor-stream.ts';

/** A service that takes a bound for another one; times are in ms since the epoch. */
function takingBounds(service: Service, taken: (bound: number) => number): ListClient {
  const inner = clientOf(service, SECOND_MS);
  return {
    get: async (query, check, context) => {
      const bound = query.get('createdSince');
      if (bound !== null) query.set('createdSince', new Date(taken(Date.parse(bound))).toISOString());
      return inner.get(query, check, context);
    },
  };
}

/** Reads, and again after a change of the service an hour later. Returns the rows and the logs of the second read. */
async function readTwice(service: Service, client: ListClient, config: CursorConfig, change: () => void) {
  const { states } = await readFrom(client, null, Infinity, config);
  service.nowMs += HOUR_MS;
  change();
  return readFrom(client, states.at(-1) ?? null, Infinity, config);
}

const newService = (): Service => serviceOf(everyMinute(300, NOW_MS - 300 * MINUTE_MS), 25);
const grow = (service: Service): void => void service.list.push(...everyMinute(60, NOW_MS));
const LAST_MS = Date.UTC(9999, 0);
const WARNING = /^the server returned none of \d+ rows that the read before had received/u;

test.each<[string, (bound: number) => number]>([
  ['two hours late, as in another time zone', (bound) => bound + 2 * HOUR_MS],
  ['ten minutes late, which is more than the lookback', (bound) => bound + 10 * MINUTE_MS],
  ['the next day', (bound) => Math.ceil(bound / DAY_MS) * DAY_MS],
  ['a thousand times as late', (bound) => 1000 * bound],
])('bounds that are taken for others are told: %s', async (_, taken) => {
  const service = newService();
  const { logs } = await readTwice(
    service,
    takingBounds(service, (bound) => Math.min(taken(bound), LAST_MS)),
    CONFIG,
    () => grow(service),
  );
  expect(logs.filter((line) => WARNING.test(line))).toHaveLength(1);
});

test('rows that were deleted are told, and what is new comes', async () => {
  const service = newService();
  const { rows, logs } = await readTwice(service, clientOf(service, SECOND_MS), CONFIG, () => {
    service.list.splice(0);
    grow(service);
  });
  expect(rows).toHaveLength(60);
  expect(logs.some((line) => WARNING.test(line))).toBe(true);
});

test.each<[string, CursorConfig, (service: Service) => void]>([
  ['rows come again', CONFIG, grow],
  ['nothing is new', CONFIG, () => {}],
  [
    'only the text of rows changes with each response',
    CONFIG,
    (service) => {
      service.list.splice(
        0,
        300,
        ...service.list.map(({ time }) => listed(time, `changed at ${service.nowMs}`)),
      );
    },
  ],
  ['a start date asks for later rows', { ...CONFIG, start_date: new Date(NOW_MS).toISOString() }, grow],
])('nothing is told if %s', async (_, config, change) => {
  const service = newService();
  const client = clientOf(service, SECOND_MS);
  const { states } = await readFrom(client, null, Infinity, CONFIG);
  service.nowMs += HOUR_MS;
  change(service);
  const { logs } = await readFrom(client, states.at(-1) ?? null, Infinity, config);
  expect(logs.filter((line) => WARNING.test(line))).toEqual([]);
});
