import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { digestOf, type Place, type Scenario } from './client.ts';
import { column, createCaller, linesOf, members, sorted, useSandbox } from './test-calls.ts';

const { create } = useSandbox();

/** The ids of the whole assets list, in the order of the API. */
async function listed(scenario: Scenario): Promise<unknown[]> {
  return column(await (await createCaller(scenario)).page('assets', { limit: 1000 }), 'assetId');
}

describe('the digest', () => {
  it('is the XOR of the first 8 bytes of every SHA-256, whatever the order', () => {
    const texts = ['{"a":1}', '{"ä":"🚛"}', '{}'];
    const words = texts.map((text) => createHash('sha256').update(text).digest().readBigUInt64BE(0));
    const digest = words
      .reduce((all, word) => all ^ word, 0n)
      .toString(16)
      .padStart(16, '0');
    expect(digestOf(texts)).toEqual({ count: 3, digest });
    expect(digestOf(texts.toReversed())).toEqual({ count: 3, digest });
    expect(digestOf([])).toEqual({ count: 0, digest: '0'.repeat(16) });
  });
});

describe('truth', () => {
  it('is told in counts, digests and texts that agree', async () => {
    const scenario = await create({ assets: 250, alarms: 450 });
    const truth = await scenario.groundTruth();
    expect(digestOf(await linesOf(scenario.groundTruthRows('assets', {})))).toEqual(truth.assets);
    expect(digestOf(await linesOf(scenario.groundTruthRows('alarms', {})))).toEqual(truth.alarms);
    expect([truth.assets.count, truth.alarms.count]).toEqual([250, 450]);
    const { existedThroughout, ...now } = truth;
    expect(existedThroughout).toEqual(now);
  });

  it('tells which rows existed throughout, which were born, and which lived at all since a mark', async () => {
    const scenario = await create({ assets: 50, alarms: 20 });
    const early = await scenario.insert('assets', { count: 5, at: 'random' });
    const dead = await scenario.delete('assets', { count: 2 });
    const mark = await scenario.mark();
    const atMark = await listed(scenario);
    const born = await scenario.insert('assets', { count: 10, at: 'random' });
    const deleted = await scenario.delete('assets', { count: 20, at: 'random' });
    const newAlarms = await scenario.arrive('alarms', { count: 3, createdAt: '2025-02-02T02:02:02Z' });

    const ids = async (selection: object): Promise<unknown[]> =>
      sorted(members(await linesOf(scenario.groundTruthRows('assets', selection)), 'assetId'));
    const gone = new Set<unknown>(deleted);
    expect(await ids({})).toEqual(sorted(await listed(scenario)));
    expect(await ids({ since: mark })).toEqual(sorted(atMark.filter((id) => !gone.has(id))));
    expect(await ids({ after: mark })).toEqual(sorted(born));
    expect(await ids({ lived: mark })).toEqual(sorted([...atMark, ...born]));
    expect(early.length).toBe(5);
    for (const id of dead) expect(await ids({ lived: mark })).not.toContain(id);

    const truth = await scenario.groundTruth(mark);
    expect(truth.existedThroughout.assets).toEqual(
      digestOf(await linesOf(scenario.groundTruthRows('assets', { since: mark }))),
    );
    expect(truth.alarms.count - truth.existedThroughout.alarms.count).toBe(3);
    expect(members(await linesOf(scenario.groundTruthRows('alarms', { after: mark })), 'alarmId')).toEqual(
      newAlarms,
    );
    await expect(linesOf(scenario.groundTruthRows('assets', { since: 1, after: 1 }))).rejects.toThrow('400');
  });
});

describe('changes of assets', () => {
  it.each([
    ['head', 0],
    ['tail', 40],
    [0, 0],
    [17, 17],
    [99, 40],
  ] as [Place, number][])('inserts at %s', async (at, place) => {
    const scenario = await create({ assets: 40, alarms: 0 });
    const before = await listed(scenario);
    const added = await scenario.insert('assets', { count: 3, at });
    const after = await listed(scenario);
    expect(after).toEqual(before.toSpliced(place, 0, ...added.toReversed()));
    const created = column(
      await (await createCaller(scenario)).page('assets', { limit: 100 }),
      'createdDate',
    );
    expect(created).toEqual(sorted(created).toReversed());
  });

  it.each([
    ['head', 0],
    ['tail', 37],
    [17, 17],
    [39, 39],
  ] as [Place, number][])('deletes at %s', async (at, place) => {
    const scenario = await create({ assets: 40, alarms: 0 });
    const before = await listed(scenario);
    const deleted = await scenario.delete('assets', { count: 3, at });
    expect(await listed(scenario)).toEqual(before.toSpliced(place, 3));
    expect(deleted.toReversed()).toEqual(before.slice(place, place + 3));
  });

  it('at random places keep the relative order', async () => {
    const scenario = await create({ assets: 100, alarms: 0 });
    const before = await listed(scenario);
    const added = new Set<unknown>(await scenario.insert('assets', { count: 30, at: 'random' }));
    const deleted = new Set<unknown>(await scenario.delete('assets', { count: 30, at: 'random' }));
    const after = await listed(scenario);
    expect([added.size, deleted.size, after.length]).toEqual([30, 30, 100]);
    expect(after.filter((id) => !added.has(id))).toEqual(before.filter((id) => !deleted.has(id)));
  });

  it('deletes by id, and passes over ids that are not there', async () => {
    const scenario = await create({ assets: 40, alarms: 0 });
    const before = await listed(scenario);
    const ids = [before[3], before[30], '00000000-0000-4000-8000-000000000000'] as string[];
    expect((await scenario.delete('assets', { ids })).toSorted()).toEqual(ids.slice(0, 2).toSorted());
    expect(await scenario.delete('assets', { ids })).toEqual([]);
    expect(await listed(scenario)).toEqual(before.filter((_id, place) => place !== 3 && place !== 30));
    expect(await scenario.delete('assets', { count: 100 })).toHaveLength(38);
  });
});

describe('arrivals of alarms', () => {
  it('come now by the clock of the world, never before those that are there', async () => {
    const scenario = await create({ assets: 1, alarms: 10 });
    const { page } = await createCaller(scenario);
    const now = Date.parse(await scenario.advanceClock(3600));
    await scenario.arrive('alarms', { count: 3, spacingMs: 1000 });
    await scenario.arrive('alarms', { count: 3, spacingMs: 100_000 });
    const created = (column(await page('alarms', {}), 'createdDate') as string[]).slice(10);
    const times = created.map((text) => Date.parse(text));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect((times[2] ?? 0) - (times[0] ?? 0)).toBe(2000);
    expect(Math.abs((times[5] ?? 0) - now)).toBeLessThan(60_000);
  });

  it('refuse a created time that is none', async () => {
    const scenario = await create({});
    await expect(scenario.arrive('alarms', { count: 1, createdAt: 'noon' })).rejects.toThrow(/400.*noon/);
  });
});
