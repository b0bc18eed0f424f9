import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isLong } from '../../property-runs.test-support.ts';
import { readOffsetList } from './read.ts';
import { STILL_WORLD, type Change, type World } from './world.fake.ts';
import { readWorld } from './worlds.fake.ts';

const MAX_ROWS = 5;
/** Changes fall before any of the first answers. */
const GAPS = 8;

type Script = ReadonlyMap<number, readonly Change[]>;

/** Every way to place at most so many changes: a row inserted at the head, further below or at the end, or any row deleted. */
function* scripts(rows: number, most: number, from: number): Generator<Script> {
  yield new Map();
  if (most === 0) return;
  const deletions = Array.from({ length: Math.min(MAX_ROWS, Math.max(rows, 1) + 1) }, (_, at): Change => {
    return { kind: 'delete', count: 1, at };
  });
  const places = new Set([0, Math.ceil(rows / 2), rows]);
  const insertions = [...places].map((at): Change => ({ kind: 'insert', count: 1, at }));
  for (let gap = from; gap <= GAPS; gap++)
    for (const change of [...insertions, ...deletions])
      for (const rest of scripts(rows, most - 1, gap))
        yield new Map([...rest, [gap, [change, ...(rest.get(gap) ?? [])]]]);
}

/** True if rows are inserted at the head only. */
function isAtHead(script: Script): boolean {
  return [...script.values()].flat().every(({ kind, at = 0 }) => kind === 'delete' || at === 0);
}

/** Every list of at most five rows, in pages of two or three. */
function* smallWorlds(most: number, kind: Partial<World>): Generator<World> {
  for (let rows = 0; rows <= MAX_ROWS; rows++)
    for (const limit of [2, 3])
      for (const script of scripts(rows, most, 1))
        yield {
          ...STILL_WORLD,
          minRows: 0,
          rows,
          limit,
          changes: (_, answers) => script.get(answers) ?? [],
          elsewhere: isAtHead(script) ? 0 : 1,
          ...kind,
        };
}

test.each<[what: string, most: number, kind: Partial<World>]>([
  ['a right total', isLong ? 2 : 1, {}],
  ['its last page past the end', isLong ? 2 : 1, { server: { pastEnd: 'last page' } }],
  [
    'no total, and refused offsets past the end',
    isLong ? 2 : 1,
    { total: 'absent', server: { pastEnd: 400 } },
  ],
  [
    'no total, and its first page past the end',
    isLong ? 2 : 1,
    { total: 'absent', server: { pastEnd: 'first page' } },
  ],
  ['three requests at once', isLong ? 2 : 1, { concurrency: 3 }],
])('a small list with %s loses and repeats nothing, however it changes', async (_, most, kind) => {
  let worlds = 0;
  let failed = 0;
  for (const world of smallWorlds(most, kind)) {
    worlds++;
    // otherwise the signals of all reads stay in memory until the end
    if (worlds % 1000 === 0) await setImmediate();
    const { code, lost, lostLater, repeated } = await readWorld(world, 1, readOffsetList);
    if (code !== null) failed++;
    if (lost + lostLater + repeated > 0 || code === 'endless') expect.fail(JSON.stringify({ code, world }));
  }
  expect(worlds).toBeGreaterThan(most > 1 ? 9_000 : 400);
  // a short list hardly differs from a page that is always the same
  expect(failed / worlds).toBeLessThan(0.01);
});
