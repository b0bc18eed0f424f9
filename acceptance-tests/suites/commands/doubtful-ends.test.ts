// pages that seem to end a list, on the built program: no row may be lost without a word
import { expect, test } from 'vitest';
import { useFleetApi, type FleetChanges } from '../../support/fleet-api.ts';
import { fastTime } from '../../support/fast-time.ts';
import { errors, verdict } from '../../support/run-views.ts';
import { start } from '../process/process-fixture.ts';

type Envelope = NonNullable<FleetChanges['envelope']>;

const drivers = {
  paging: 'offset',
  name: 'drivers',
  path: '/v1/drivers',
  id_field: 'driverId',
  page_size: 50,
};

async function startApi(rows: number, changes: FleetChanges) {
  const { account, base_url, requests } = await useFleetApi(rows, changes);
  const config = { ...account, alarms: { base_url, id_field: 'alarmId' }, lists: [{ ...drivers, base_url }] };
  return { config, requests };
}

const recordsIn = (messages: readonly { readonly type: string }[]): number =>
  messages.filter(({ type }) => type === 'RECORD').length;

const ended = (pagination: Readonly<Record<string, unknown>>) => ({
  items: [],
  metadata: { pagination: 'offset' in pagination ? { offset: pagination['offset'] } : { nextCursor: '' } },
});

test.each([
  { error: true, message: 'backend timeout' },
  { success: false },
  { status: 'error' },
  { errors: 1, errorMessage: 'shard failed' },
])('a page that says that it failed ends no list: %j', async (failure) => {
  const pages = new Map<unknown, number>();
  const envelope: Envelope = (items, pagination) => {
    const kind = 'offset' in pagination;
    const page = (pages.get(kind) ?? 0) + 1;
    pages.set(kind, page);
    return page === 2 ? { ...ended(pagination), ...failure } : { items, metadata: { pagination } };
  };
  const { config } = await startApi(120, { envelope });
  const run = await (await start('read', config, { env: fastTime(50) })).ended();
  expect([run.code, recordsIn(run.messages)]).toStrictEqual([0, 240]);
});

type Members = Readonly<Record<string, unknown>>;

/** Lists by cursor that name it in another way. */
const unnamed: readonly [what: string, (next: unknown) => Members][] = [
  ['cursor', (next) => ({ metadata: { pagination: { cursor: next } } })],
  ['after', (next) => ({ metadata: { pagination: { after: next } } })],
  ['cursors', (next) => ({ metadata: { pagination: { cursors: { after: next } } } })],
  ['something', (next) => ({ metadata: { pagination: { something: next } } })],
  ['in metadata', (next) => ({ metadata: { nextCursor: next, pagination: {} } })],
  ['beside items', (next) => ({ nextCursor: next, metadata: { pagination: {} } })],
  ['links', (next) => ({ links: { next }, metadata: { pagination: { nextCursor: null } } })],
  ['hasMore', (next) => ({ metadata: { hasMore: next !== '', pagination: { nextCursor: null } } })],
  ['isTruncated', (next) => ({ metadata: { pagination: { nextCursor: null, isTruncated: next !== '' } } })],
  ['last', (next) => ({ metadata: { pagination: { nextCursor: null, last: next === '' } } })],
];

test.each(unnamed)('a list whose cursor has another name or place fails: %s', async (_, members) => {
  const envelope: Envelope = (items, pagination) =>
    'offset' in pagination
      ? { items, metadata: { pagination } }
      : { items, ...members(pagination['nextCursor']) };
  const long = await startApi(120, { envelope });
  for (const command of ['check', 'discover', 'read --streams alarms']) {
    const run = await (await start(command, long.config, {})).ended();
    if (command === 'check') {
      const { status, lines } = verdict({ ...run, lines: [] });
      expect(status).toBe('FAILED');
      expect(lines.find((line) => line.startsWith('alarms'))).toMatch(/no "nextCursor"/);
    } else expect(errors(run)).toMatchObject([{ internal_message: 'PAGES_UNUSABLE' }]);
    expect(recordsIn(run.messages)).toBe(0);
  }
  // a single page is the whole list, unless it cannot be told from others
  const short = await startApi(3, { envelope });
  const run = await (await start('read', short.config, {})).ended();
  expect([run.code, recordsIn(run.messages)]).toStrictEqual([0, 6]);
});

/** Omits the cursor on the last page. */
const withoutLast: Envelope = (items, { nextCursor, ...pagination }) => {
  const next = nextCursor === '' || nextCursor === undefined ? {} : { nextCursor };
  return { items, metadata: { pagination: { ...pagination, ...next } } };
};

test.each([0, 3, 30, 120])('a list of %i rows without a cursor on its last page is read', async (rows) => {
  const { config } = await startApi(rows, { envelope: withoutLast });
  const checked = await (await start('check', config, {})).ended();
  expect(verdict({ ...checked, lines: [] }).status).toBe('SUCCEEDED');
  const run = await (await start('read', config, {})).ended();
  expect([run.code, recordsIn(run.messages)]).toStrictEqual([0, 2 * rows]);
});

test.each([
  [0, {}],
  [120, {}],
  [120, { pagination: null }],
])('lists of %i rows whose empty pages have no pagination: %j', async (rows, metadata) => {
  const envelope: Envelope = (items, pagination) => {
    const isLast = pagination['nextCursor'] === '' && items.length > 0;
    const next = isLast ? { nextCursor: `cursor-${rows}` } : {};
    return { items, metadata: items.length === 0 ? metadata : { pagination: { ...pagination, ...next } } };
  };
  const { config } = await startApi(rows, { envelope });
  const env = fastTime(50);
  const checked = await (await start('check', config, { env })).ended();
  expect(verdict({ ...checked, lines: [] }).status).toBe('SUCCEEDED');
  const run = await (await start('read', config, { env })).ended();
  expect([run.code, recordsIn(run.messages)]).toStrictEqual([0, 2 * rows]);
});
