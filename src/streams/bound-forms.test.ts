import { expect, test } from 'vitest';
import type { ListClient } from '../api/client.ts';
import { StatusError } from '../api/status-error.ts';
import { refusalError } from '../errors.ts';
import { CONFIG, NOW_MS, readFrom } from './cursor-cases.fake.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS, clientOf, listed, serviceOf } from './cursor-service.fake.ts';
import type { CursorConfig } from './cursor-stream.ts';

/** A service that refuses bounds in any form but one. */
function accepting(inner: ListClient, form: RegExp, words: string, toMs: (text: string) => number) {
  const bounds: string[] = [];
  const client: ListClient = {
    get: async (query, check, context) => {
      const bound = query.get('createdSince');
      if (bound !== null) bounds.push(bound);
      if (bound !== null && !form.test(bound)) {
        const excerpt = { text: words, requestIds: '', isNotJson: false, askedWait: null };
        const cause = new StatusError({ status: 422, headers: {} }, excerpt);
        throw refusalError('REQUEST_REFUSED', `refused ${bound}`, cause);
      }
      const copy = new URLSearchParams(query);
      if (bound !== null) copy.set('createdSince', new Date(toMs(bound)).toISOString());
      return inner.get(copy, check, context);
    },
  };
  return { client, bounds };
}

const iso = (ms: number): string => new Date(ms).toISOString().slice(0, 19);
const BEGIN_MS = NOW_MS - 300 * MINUTE_MS;

/** Rows of every minute whose times are written in a form. */
const rowsIn = (shown: (ms: number) => string, fromMs: number, count: number) =>
  Array.from({ length: count }, (_, row) => fromMs + row * MINUTE_MS).map((ms) =>
    listed(ms, `${ms}`, shown(ms)),
  );

const FORMS: [string, (ms: number) => string, RegExp, (text: string) => number][] = [
  ['with the offset of the rows', (ms) => `${iso(ms)}+00:00`, /\+\d\d:\d\d$/, Date.parse],
  [
    'with an offset, of rows in another',
    (ms) => `${iso(ms + 2 * HOUR_MS)}+02:00`,
    /\+\d\d:\d\d$/,
    Date.parse,
  ],
  ['with an offset without a colon', (ms) => `${iso(ms)}+0000`, /\+\d{4}$/, Date.parse],
  ['with milliseconds', (ms) => `${iso(ms)}Z`, /\.\d{3}Z$/, Date.parse],
  ['without milliseconds', (ms) => `${iso(ms)}.000Z`, /:\d\dZ$/, Date.parse],
  [
    'with a blank and without a zone, as the rows',
    (ms) => iso(ms).replace('T', ' '),
    / [\d:]{8}$/,
    (text) => Date.parse(`${text}Z`),
  ],
  ['without a zone', (ms) => `${iso(ms)}Z`, /T[\d:]{8}$/, (text) => Date.parse(`${text}Z`)],
  ['with a zone that rows lack', (ms) => iso(ms), /Z$/, Date.parse],
  ['as RFC 3339, of epochs', (ms) => String(ms), /Z$/, Date.parse],
  ['as seconds, of RFC 3339', (ms) => `${iso(ms)}Z`, /^\d{10}$/, (text) => Number(text) * 1000],
  ['as milliseconds, where seconds are taken for 1970', (ms) => `${iso(ms)}Z`, /^\d+$/, Number],
  ['as milliseconds, of RFC 3339', (ms) => `${iso(ms)}Z`, /^\d{13}$/, Number],
];

test.each(FORMS)('a bound is sent in the form that the service accepts: %s', async (_, shown, form, toMs) => {
  const service = serviceOf(rowsIn(shown, BEGIN_MS, 300), 25);
  const { client, bounds } = accepting(clientOf(service, SECOND_MS), form, 'bad date', toMs);
  const first = await readFrom(client, null, Infinity, CONFIG);
  expect(first.rows).toHaveLength(300);
  service.nowMs += HOUR_MS;
  service.list.push(...rowsIn(shown, NOW_MS, 60));
  const second = await readFrom(client, first.states.at(-1) ?? null, Infinity, CONFIG);
  expect(second.rows).toEqual(service.list.slice(300).map(({ text }) => text));
  const said = second.logs.filter((line) => line.startsWith('the service refuses createdSince='));
  expect(said).toHaveLength(form.test(bounds[0] ?? '') ? 0 : 1);
  expect(second.logs.filter((line) => line.includes('ignores this parameter'))).toEqual([]);
  // once a form is accepted, no other one is sent
  const accepted = bounds.findIndex((bound) => form.test(bound));
  expect(bounds.slice(accepted).every((bound) => form.test(bound))).toBe(true);
  expect(accepted).toBeLessThan(12);
});

test.each(FORMS)(
  'a start date is sent in the form that the service accepts: %s',
  async (_, shown, form, toMs) => {
    const service = serviceOf(rowsIn(shown, BEGIN_MS, 300), 25);
    const { client } = accepting(clientOf(service, SECOND_MS), form, 'bad date', toMs);
    const config: CursorConfig = { ...CONFIG, start_date: `${iso(NOW_MS - 60 * MINUTE_MS)}Z` };
    const { rows, states } = await readFrom(client, null, Infinity, config);
    expect(rows).toEqual(service.list.slice(240).map(({ text }) => text));
    service.nowMs += HOUR_MS;
    service.list.push(...rowsIn(shown, NOW_MS, 60));
    const second = await readFrom(client, states.at(-1) ?? null, Infinity, config);
    expect(second.rows).toEqual(service.list.slice(300).map(({ text }) => text));
  },
);

test.each([
  ['no form', /^never$/, 'bad date', 9],
  ['times that are not too early', /^never$/, 'createdSince must be within the last 30 days', 1],
])('where a service accepts %s, the first refusal is reported', async (_, form, words, count) => {
  const service = serviceOf(
    rowsIn((ms) => `${iso(ms)}Z`, BEGIN_MS, 300),
    25,
  );
  const { client, bounds } = accepting(clientOf(service, SECOND_MS), form, words, Date.parse);
  const state = { created_since: `${iso(BEGIN_MS)}Z` };
  await expect(readFrom(client, state, Infinity, CONFIG)).rejects.toThrow('refused 2026-03-01T18:59:00Z');
  expect(bounds).toHaveLength(count);
  expect(new Set(bounds).size).toBe(count);
});
