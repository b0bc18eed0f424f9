import { describe, expect, test } from 'vitest';
import type { ListClient } from '../api/client.ts';
import type { StreamState } from '../protocol/messages.ts';
import { CONFIG, NOTHING, NOW_MS, compared, readFrom } from './cursor-cases.fake.ts';
import { HOUR_MS, SECOND_MS, clientOf, listed, readOnce, serviceOf, textsOf } from './cursor-service.fake.ts';
import type { CursorConfig } from './cursor-stream.ts';

const digitsOf = (ms: number, length: number): string =>
  new Date(ms).toISOString().replaceAll(/\D/g, '').slice(0, length);

describe('times in the digits of a date', () => {
  test.each([8, 12, 14, 17])(
    'of %i digits are read incrementally, and start_date leaves out and counts rows',
    async (length) => {
      const start = Date.parse('2025-04-01T00:00:00Z');
      const list = Array.from({ length: 60 }, (_, at) => {
        const ms = start + at * 6 * HOUR_MS;
        return listed(ms, `row ${at}`, digitsOf(ms, length));
      });
      const service = serviceOf(list.slice(0, 40), 10);
      service.nowMs = start + 40 * 6 * HOUR_MS;
      const read = async (state: StreamState | null, config: CursorConfig) => {
        const client = clientOf(service, SECOND_MS);
        const get: ListClient['get'] = async (query, check, context) => {
          const digits = query.get('createdSince');
          // the server compares digits
          const iso = /^(\d{4})(\d\d)(\d\d)(\d\d)?(\d\d)?(\d\d)?/.exec(digits ?? '');
          if (digits !== null && iso !== null) {
            const [, y, m, d, h = '00', min = '00', s = '00'] = iso;
            query.set('createdSince', `${y}-${m}-${d}T${h}:${min}:${s}Z`);
          }
          return client.get(query, check, context);
        };
        return readFrom({ get }, state, Infinity, config);
      };
      const first = await read(null, CONFIG);
      service.list.push(...list.slice(40));
      service.nowMs = start + 60 * 6 * HOUR_MS;
      const second = await read(first.states.at(-1) ?? null, CONFIG);
      expect(compared(textsOf(list), [...first.rows, ...second.rows])).toEqual(NOTHING);
      const dated = await read(null, { ...CONFIG, end_date: '2025-04-05T12:00:00Z' });
      expect(dated.rows).toHaveLength(length === 8 ? 20 : 19);
      expect(dated.logs).toContainEqual(
        expect.stringMatching(
          /^left out \d+ rows created after end_date .*, counted each time they were received$/,
        ),
      );
    },
  );

  test('a newest time that is years off is a warning', async () => {
    // a number that is no time, but an epoch of 2096
    const list = [listed(NOW_MS, 'row', '4000000000')];
    const { logs } = await readOnce(serviceOf(list, 10), null, CONFIG, Infinity);
    expect(logs).toContainEqual(
      expect.stringMatching(/^the newest time in "createdDate" is 2096.*in the future/),
    );
  });
});
