import { expect, test } from 'vitest';
import type { ListClient } from '../api/client.ts';
import { CURSOR_STATE } from '../limits.ts';
import { CONFIG, NOW_MS, REST, clientOf, readFrom } from './cursor-cases.fake.ts';
import {
  DAY_MS,
  HOUR_MS,
  SECOND_MS,
  clientOf as clientOfService,
  listed,
  readOnce,
  serviceOf,
  textsOf,
} from './cursor-service.fake.ts';

test('each page of a chain is requested with the createdSince of the first, and none more than once', async () => {
  const asked: string[] = [];
  const list = [1, 2, 3].map((at) => listed(NOW_MS - DAY_MS + at * HOUR_MS, `row ${at}`));
  const { get } = clientOfService(serviceOf(list, 1), SECOND_MS);
  const client: ListClient = {
    get: async (query, check, context) => {
      asked.push(query.toString());
      return get(query, check, context);
    },
  };
  const { rows } = await readFrom(client, null, Infinity, { ...CONFIG, start_date: '2026-01-01T00:00:00Z' });
  const since = 'createdSince=2025-12-31T23%3A59%3A00Z';
  expect(asked).toStrictEqual([since, `after=1&${since}`, `after=2&${since}`]);
  expect(rows).toStrictEqual(textsOf(list));
});

test('times in a state are written like those in rows, in UTC, even if a chain ends early and the server time has fractions', async () => {
  const nowMs = NOW_MS + 1500;
  const alarms = [1, 2].map((id) => JSON.stringify({ id, createdDate: '2026-03-02T01:00:01+01:00' }));
  const clocks = { serverMs: () => nowMs, localMs: () => nowMs };
  const client = clientOf({ ...REST, ...clocks, alarms, pageSize: 1, expiredAt: () => 'empty last page' });
  const { states } = await readFrom(client, null, Infinity, { ...CONFIG, lookback_seconds: 1 });
  expect(states.at(-1)).toMatchObject({
    created_since: '2026-03-01T23:59:00Z',
    read_at: '2026-03-02T00:00:01.500000000Z',
  });
});

test('rows within the lookback that a state cannot remember are repeated with a warning', async () => {
  const beyond = 500;
  const count = CURSOR_STATE.maxSeen + beyond;
  const list = Array.from({ length: count }, (_, at) =>
    listed(NOW_MS - 2 * SECOND_MS * (count - at), `row ${at}, open`),
  );
  const service = serviceOf(list, Infinity);
  const config = { ...CONFIG, lookback_seconds: 30 * 86_400 };
  const first = await readOnce(service, null, config, Infinity);
  expect(first.rows).toHaveLength(count);
  expect(first.logs).toStrictEqual([expect.stringMatching(/^a state remembers 10,000 rows/)]);
  const last = list.pop();
  list.push(listed(last?.time ?? 0, 'closed'));
  const second = await readOnce(service, first.state, config, Infinity);
  expect(second.rows).toContain(textsOf(list).at(-1));
  expect(second.rows.length - beyond).toBeOneOf([0, 1]);
  expect(second.logs).toContainEqual(expect.stringMatching(/^up to 500 rows may be repeated: /));
});
