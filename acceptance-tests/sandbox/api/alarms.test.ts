import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type OptionsPatch, type Sandbox, type Scenario } from '../client.ts';
import { column, createCaller, linesOf, members, sorted, type Caller } from '../test-calls.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

async function setUp(alarms: number, options: OptionsPatch): Promise<{ world: Scenario } & Caller> {
  const world = await sandbox.createScenario({ assets: 5, alarms, options });
  return { world, ...(await createCaller(world)) };
}

async function truthIds(world: Scenario): Promise<unknown[]> {
  return members(await linesOf(world.groundTruthRows('alarms', {})), 'alarmId');
}

describe('cursor-based pagination', () => {
  it('goes from cursor to cursor to an empty one, oldest first', async () => {
    const { world, chain } = await setUp(103, {});
    const pages = await chain({ limit: 10 });
    expect(pages.map(({ items }) => items.length)).toEqual([10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 3]);
    expect(pages.at(-1)?.metadata.pagination).toEqual({ nextCursor: '' });
    expect(column(pages, 'alarmId')).toEqual(await truthIds(world));
    const created = column(pages, 'createdDate') as string[];
    expect(created).toEqual(created.toSorted());
    expect(new Set(created).size).toBeLessThan(103);
  });

  it('uses the maximum page size when limit is absent or larger', async () => {
    const { world, page } = await setUp(200, {});
    expect((await page('alarms', {})).items).toHaveLength(25);
    expect((await page('alarms', { limit: 26 })).items).toHaveLength(25);
    expect((await page('alarms', { limit: 24 })).items).toHaveLength(24);
    await world.setOptions({ alarmsMaxPageSize: 100 });
    expect((await page('alarms', {})).items).toHaveLength(100);
  });

  it('has one last page whether or not it is full', async () => {
    const { chain } = await setUp(50, {});
    expect((await chain({})).map(({ items }) => items.length)).toEqual([25, 25]);
    expect((await chain({ limit: 40 })).map(({ items }) => items.length)).toEqual([25, 25]);
    expect(await (await setUp(0, {})).chain({})).toEqual([
      { items: [], metadata: { pagination: { nextCursor: '' } } },
    ]);
  });

  it('serves what was created since a bound, page by page', async () => {
    const { world, chain } = await setUp(100, {});
    const rows = await linesOf(world.groundTruthRows('alarms', {}));
    const bound = String(members(rows, 'createdDate')[40]);
    const expected = rows.filter((row) => String(members([row], 'createdDate')[0]) >= bound);
    const pages = await chain({ createdSince: bound, limit: 7 });
    expect(column(pages, 'alarmId')).toEqual(members(expected, 'alarmId'));
    expect(pages.length).toBeGreaterThan(5);
  });

  it.each([
    'after=nonsense',
    'after=',
    'after=kAAAA',
    'limit=0',
    'limit=-3',
    'limit=x',
    'createdSince=yesterday',
  ])('refuses %s', async (query) => {
    const { reply } = await setUp(50, {});
    expect((await reply('alarms', query)).status).toBe(400);
  });

  it('refuses a cursor that was altered, or belongs to another world', async () => {
    const { page, reply } = await setUp(50, {});
    const cursor = String((await page('alarms', {})).metadata.pagination['nextCursor']);
    const altered = cursor.slice(0, 20) + (cursor[20] === 'A' ? 'B' : 'A') + cursor.slice(21);
    expect((await reply('alarms', { after: altered })).status).toBe(400);
    const other = await createCaller(await sandbox.createScenario({ seed: 9 }));
    expect((await other.reply('alarms', { after: cursor })).status).toBe(400);
    expect((await reply('alarms', { after: cursor })).status).toBe(200);
  });

  it('shows alarms that arrive meanwhile: new ones at the end, late ones where they belong', async () => {
    const { world, page } = await setUp(60, {});
    const first = await page('alarms', {});
    const [late] = await world.arrive('alarms', { count: 1, createdAt: '2025-11-11T11:11:11Z' });
    const [tooLate] = await world.arrive('alarms', { count: 1, createdAt: '2025-01-01T00:00:00Z' });
    const [fresh] = await world.arrive('alarms', { count: 1 });
    const seen = column(first, 'alarmId');
    for (let after = first.metadata.pagination['nextCursor']; after !== '';) {
      const next = await page('alarms', { after: String(after) });
      seen.push(...column(next, 'alarmId'));
      after = next.metadata.pagination['nextCursor'];
    }
    expect(seen).toHaveLength(62);
    expect(seen).toContain(late);
    expect(seen).not.toContain(tooLate);
    expect(seen.at(-1)).toBe(fresh);
  });
});

describe('knobs of the alarms list', () => {
  it.each(['keyset', 'random'] as const)('alarmsCursor %s, with a lifetime', async (alarmsCursor) => {
    const { world, page, reply, chain } = await setUp(100, {
      alarmsCursor,
      alarmsCursorLifetimeSeconds: 600,
    });
    expect(column(await chain({}), 'alarmId')).toEqual(await truthIds(world));
    const first = await page('alarms', {});
    const after = String(first.metadata.pagination['nextCursor']);
    await world.advanceClock(500);
    expect((await reply('alarms', { after })).status).toBe(200);
    await world.advanceClock(101);
    expect((await reply('alarms', { after })).status).toBe(400);
    await world.setOptions({ alarmsExpiredCursor: 'firstPage' });
    expect(column(await page('alarms', { after }), 'alarmId')).toEqual(column(first, 'alarmId'));
  });

  it('alarmsCursorSince', async () => {
    const { world, page, reply } = await setUp(100, {});
    const createdSince = '2025-03-01T00:00:00Z';
    const first = await page('alarms', { createdSince });
    const after = String(first.metadata.pagination['nextCursor']);
    const same = column(
      await page('alarms', { createdSince: '2025-03-01T01:00:00.000+01:00', after }),
      'alarmId',
    );
    expect((await reply('alarms', { after })).status).toBe(400);
    expect((await reply('alarms', { after, createdSince: '2025-03-02T00:00:00Z' })).status).toBe(400);
    await world.setOptions({ alarmsCursorSince: 'cursor' });
    expect(column(await page('alarms', { after }), 'alarmId')).toEqual(same);
    expect(column(await page('alarms', { after, createdSince: '2025-12-01T00:00:00Z' }), 'alarmId')).toEqual(
      same,
    );
    await world.setOptions({ alarmsCursorSince: 'request' });
    expect(column(await page('alarms', { after }), 'alarmId')).toEqual(same);
    const [moved] = column(
      await page('alarms', { after, createdSince: '2025-12-01T00:00:00Z' }),
      'createdDate',
    );
    expect(String(moved) >= '2025-12-01').toBe(true);
  });

  it.each([
    ['empty', { nextCursor: '' }],
    ['null', { nextCursor: null }],
    ['absent', {}],
  ] as const)('alarmsEnd %s', async (alarmsEnd, expected) => {
    const { page } = await setUp(5, { alarmsEnd });
    expect((await page('alarms', {})).metadata.pagination).toEqual(expected);
  });

  it('alarmsEmptyPages: empty pages with cursors, always new ones, and nothing lost', async () => {
    for (const alarmsEmptyPages of [0.5, 1]) {
      const { world, chain } = await setUp(100, { alarmsEmptyPages });
      const pages = await chain({ limit: 5 });
      expect(pages.filter(({ items }) => items.length === 0).length).toBeGreaterThan(5);
      const cursors = pages.map(({ metadata }) => metadata.pagination['nextCursor']);
      expect(new Set(cursors).size).toBe(cursors.length);
      expect(column(pages, 'alarmId')).toEqual(await truthIds(world));
    }
  });

  it('alarmsTrailingEmptyPage', async () => {
    const { chain } = await setUp(50, { alarmsTrailingEmptyPage: true });
    expect((await chain({})).map(({ items }) => items.length)).toEqual([25, 25, 0]);
    expect((await chain({ limit: 20 })).map(({ items }) => items.length)).toEqual([20, 20, 10]);
  });

  it.each(['descending', 'shuffled'] as const)(
    'alarmsOrder %s, with and without a bound',
    async (alarmsOrder) => {
      const { world, chain } = await setUp(200, { alarmsOrder });
      const ids = column(await chain({}), 'alarmId');
      const truth = await truthIds(world);
      expect(ids).not.toEqual(truth);
      expect(sorted(ids)).toEqual(sorted(truth));
      if (alarmsOrder === 'descending') expect(ids).toEqual(truth.toReversed());
      const bounded = column(await chain({ createdSince: '2025-07-01T00:00:00Z', limit: 9 }), 'createdDate');
      expect(bounded.every((created) => String(created) >= '2025-07')).toBe(true);
      expect(bounded.length).toBeGreaterThan(80);
      await world.arrive('alarms', { count: 30, createdAt: '2025-08-01T00:00:00Z', spacingMs: 0 });
      expect(sorted(column(await chain({}), 'alarmId'))).toEqual(sorted(await truthIds(world)));
    },
  );

  it('alarmsCreatedMissingEvery', async () => {
    const { chain } = await setUp(100, { alarmsCreatedMissingEvery: 10 });
    expect(column(await chain({}), 'createdDate').filter((created) => created === undefined)).toHaveLength(
      10,
    );
  });
});
