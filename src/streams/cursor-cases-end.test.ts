import { describe, expect, test } from 'vitest';
import type { ListClient } from '../api/client.ts';
import type { StreamState } from '../protocol/messages.ts';
import { rowsOf } from '../rows/row.test-support.ts';
import { CONFIG, NOTHING, NOW_MS, REST } from './cursor-cases.fake.ts';
import { alarm, alarmsOf, clientOf, compared, readFrom, timeAt, timeOf } from './cursor-cases.fake.ts';

/** A server whose clocks fall back by an hour at minute 90; it takes an ambiguous time for the second one. */
function fallingBack(count: number) {
  const alarms = Array.from({ length: count }, (_, minute) =>
    JSON.stringify({ createdDate: timeAt(minute < 90 ? minute : minute - 60).replace('Z', ''), minute }),
  );
  const client: ListClient = {
    get: async (query, check) => {
      const since = query.get('createdSince') ?? timeAt(0).replace('Z', '');
      const start = alarms.findIndex(
        (text, minute) => (minute < 30 || minute >= 90) && timeOf(text) >= Date.parse(since),
      );
      const from = Number(query.get('after') ?? start);
      const nextCursor = from + 5 < alarms.length ? String(from + 5) : '';
      const times = { serverTimeMs: NOW_MS, sentAtMs: NOW_MS, receivedAtMs: NOW_MS };
      const answer = { rows: rowsOf(alarms.slice(from, from + 5)), pagination: { nextCursor }, ...times };
      check(answer);
      return answer;
    },
  };
  return { alarms, client };
}

const stateOf = (open: StreamState['open']): StreamState => ({
  created_field: 'createdDate',
  seen: [],
  open,
});

describe('the end of a list is found', () => {
  test('although a positional cursor shifted, and the newest rows were received twice', async () => {
    for (const inserted of [6, 7, 8, 9]) {
      const alarms = [...alarmsOf(30), ...[1, 2, 3, 4, 5, 6, 7].map((at) => alarm(900, `newest ${at}`))];
      const expected = [...alarms];
      const onRequest = (request: number): void => {
        if (request === inserted) alarms.splice(20, 0, alarm(19.3), alarm(19.6));
        if (request === 9) alarms.push(alarm(900, 'newest 8'));
      };
      const client = clientOf({ ...REST, alarms, cursors: 'indexes', pageSize: 5, onRequest });
      const open = [{ since: timeAt(0), until: timeAt(890) }, { since: timeAt(890) }];
      const { rows } = await readFrom(client, stateOf(open), Infinity, CONFIG);
      expect(compared(expected, rows).lost, `request ${inserted}`).toEqual([]);
    }
  });

  test('although a positional cursor shifted within the newest rows, and these are in another order', async () => {
    const alarms = [...alarmsOf(30), ...[1, 2, 3, 4, 5, 6, 7].map((at) => alarm(900, `newest ${at}`))];
    const expected = [...alarms];
    const onRequest = (request: number): void => {
      if (request === 8) alarms.splice(20, 0, alarm(19.3), alarm(19.6));
      if (request === 9) alarms.push(...alarms.splice(-7).toReversed());
    };
    const client = clientOf({ ...REST, alarms, cursors: 'indexes', pageSize: 5, onRequest });
    const { rows } = await readFrom(client, null, Infinity, CONFIG);
    expect(compared(expected, rows).lost).toEqual([]);
    expect(client.requests()).toBeLessThan(16);
  });

  test('although the latest local time is not that of the last row, because DST has ended', async () => {
    const { alarms, client } = fallingBack(110);
    const [start, cut] = [0, 91].map((minute) => timeAt(minute).replace('Z', ''));
    const open = [{ since: start, until: cut }, { since: cut }];
    const { rows } = await readFrom(client, stateOf(open), Infinity, CONFIG);
    expect(compared(alarms, rows)).toEqual(NOTHING);
  });

  test('although rows after the end date keep arriving at the newest time', async () => {
    const alarms = alarmsOf(60);
    const onRequest = (at: number): void => void alarms.push(alarm(60, `arrived ${at}`));
    const client = clientOf({ ...REST, alarms, pageSize: 5, onRequest });
    const { rows } = await readFrom(client, null, Infinity, { ...CONFIG, end_date: timeAt(59.5) });
    expect(compared(alarmsOf(60), rows)).toEqual(NOTHING);
    expect(client.requests()).toBeLessThan(40);
  });
});
