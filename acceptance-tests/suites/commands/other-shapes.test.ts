// responses of another shape than the documented one, on the built program
import { expect, test } from 'vitest';
import { useFleetApi, type FleetChanges } from '../../support/fleet-api.ts';
import { errors, statuses, verdict } from '../../support/run-views.ts';
import { start } from '../process/process-fixture.ts';

type Envelope = NonNullable<FleetChanges['envelope']>;

const offsetShape = { offset: 0, limit: 25, totalCount: 30 };

/** What the server sends, what is found in it, and what to change. */
const shapes: readonly [what: string, Envelope, found: RegExp, cure: RegExp][] = [
  [
    'rows under another name',
    (data, pagination) => ({ data, metadata: { pagination } }),
    /"data" \(an array of \d+ objects?\)/,
    /base_url/,
  ],
  [
    'no pagination object',
    (items) => ({ items }),
    /an object with "items" \(an array of \d+ objects?\)\./,
    /base_url/,
  ],
  ['page numbers', (items) => ({ items, page: 1, totalPages: 9 }), /"page", "totalPages"/, /base_url/],
  ['a bare array', (items) => items, /the body is an array of \d+ objects?\./, /base_url/],
  ['links', (items) => ({ items, _links: { next: '/2' } }), /"_links" \(an object with "next"\)/, /base_url/],
  [
    'items: null, no pagination object',
    () => ({ items: null, metadata: {} }),
    /"items" \(null\)/,
    /base_url/,
  ],
];

const otherPaging: typeof shapes = [
  [
    'drivers by cursor',
    (items, { offset }) => ({
      items,
      metadata: { pagination: offset === undefined ? { nextCursor: '' } : { nextCursor: 'x' } },
    }),
    /metadata\.pagination has "nextCursor", and neither "offset" nor "totalCount"/,
    /Set lists\[0\]\.paging to "cursor", and lists\[0\]\.created_field/,
  ],
  [
    'alarms by offset',
    (items, { offset }) => ({ items, metadata: { pagination: { ...offsetShape, offset: offset ?? 0 } } }),
    /metadata\.pagination has "offset" and "totalCount", and no "nextCursor"/,
    /Remove "alarms" from the config, and add an entry to "lists" .*"paging": "offset", "path": "\/v1\/alarms"/,
  ],
  [
    'alarms by links',
    (items, pagination) => ({
      items,
      metadata: { pagination: 'offset' in pagination ? pagination : { next: '/2' } },
    }),
    /metadata\.pagination has "next", and no "nextCursor"/,
    /Check alarms\.base_url/,
  ],
];

const drivers = { paging: 'offset', name: 'drivers', path: '/v1/drivers', id_field: 'driverId' };

async function startApi(envelope: Envelope) {
  const { account, base_url, requests } = await useFleetApi(30, { envelope, maxPage: 500 });
  const config = { ...account, alarms: { base_url, id_field: 'alarmId' }, lists: [{ ...drivers, base_url }] };
  return { config, requests };
}

test.each(shapes)('%s: a config_error', async (_, envelope, found, cure) => {
  const { config, requests } = await startApi(envelope);
  const { ended } = await start('check', config, {});
  const { status, lines } = verdict({ ...(await ended()), lines: [] });
  expect(status).toBe('FAILED');
  expect(lines).toHaveLength(2);
  for (const line of lines) {
    expect(line).toMatch(/^(alarms|drivers): the response is not a page that can be read: /);
    expect(line).toMatch(found);
    expect(line).toMatch(/Supported are objects with "items"/);
    expect(line).toMatch(cure);
    expect(line).not.toMatch(/temporary|try again/);
  }
  expect(requests.length).toBeGreaterThanOrEqual(4);
  const run = await (await start('read', config, {})).ended();
  expect(run.code).toBe(1);
  const types = errors(run).map(({ failure_type: type, internal_message: code }) => `${type} ${code}`);
  expect(types).toStrictEqual(['config_error PAGES_UNUSABLE', 'config_error PAGES_UNUSABLE']);
});

/** As Go does: null for no rows, and an empty page behind a full one. */
const ofGo: Envelope = (items, pagination) => {
  const isLast = pagination['nextCursor'] === '' && items.length > 0;
  const next = isLast ? { nextCursor: 'cursor-100' } : {};
  return {
    items: items.length === 0 ? null : items,
    metadata: { pagination: { ...pagination, ...next } },
  };
};

test.each([100, 0])('items: null is a page without rows: lists of %i rows', async (rows) => {
  const { account, base_url, requests } = await useFleetApi(rows, { envelope: ofGo });
  const lists = [{ ...drivers, base_url, page_size: 50 }];
  const config = { ...account, alarms: { base_url, id_field: 'alarmId' }, lists };
  const checked = await (await start('check', config, {})).ended();
  expect(verdict({ ...checked, lines: [] }).status).toBe('SUCCEEDED');
  const first = await (await start('read', config, {})).ended();
  const again = await (await start('read', config, { state: first.stdout })).ended();
  const counts = [first, again].map(
    ({ messages }) => messages.filter(({ type }) => type === 'RECORD').length,
  );
  expect([first.code, again.code, ...counts]).toStrictEqual([0, 0, 2 * rows, rows]);
  expect(requests.some((path) => path.includes('after=cursor-100'))).toBe(rows > 0);
});

test.each(otherPaging)('another kind of paging: %s', async (what, envelope, found, cure) => {
  const { config, requests } = await startApi(envelope);
  const [name = ''] = what.split(' ');
  const checked = await (await start('check', config, {})).ended();
  const { status, lines } = verdict({ ...checked, lines: [] });
  expect(status).toBe('FAILED');
  const line = lines.find((each) => each.startsWith(name)) ?? '';
  expect(line).toMatch(found);
  expect(line).toMatch(cure);
  expect(requests.filter((path) => path.startsWith(`/v1/${name}`)).length).toBeGreaterThan(1);
  const run = await (await start(`read --streams ${name}`, config, {})).ended();
  expect(errors(run)).toMatchObject([{ failure_type: 'config_error', stream_descriptor: { name } }]);
  expect(statuses({ ...run, lines: [] }, name)).toStrictEqual(['STARTED', 'INCOMPLETE']);
});
