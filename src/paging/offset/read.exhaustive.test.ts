import { expect, test } from 'vitest';
import { isLong } from '../../property-runs.test-support.ts';
import { STILL, createMovingList, readMovingList, type Change } from './moving-list.fake.ts';

const ROWS = 5;
const GAPS = 6;
const MAX_CHANGES = isLong ? 3 : 2;

/** Every single change of a small list: a row deleted at each place, a row inserted at the head, in the middle, at the end. */
const CHANGES: Change[] = [
  ...Array.from({ length: ROWS }, (_, row): Change => ({ kind: 'delete', at: row / ROWS, count: 1 })),
  { kind: 'insert', at: 0, count: 1 },
  { kind: 'insert', at: 0.5, count: 1 },
  { kind: 'insert', at: 1, count: 1 },
];

/** Every way to place at most so many changes in the gaps between the first requests. */
function* schedules(most: number): Generator<Change[][]> {
  yield Array.from({ length: GAPS }, () => []);
  if (most === 0) return;
  for (let gap = 0; gap < GAPS; gap++)
    for (const change of CHANGES)
      for (const rest of schedules(most - 1)) {
        // each set of changes once: in the order of its gaps
        const first = rest.findIndex((changes) => changes.length > 0);
        if (first !== -1 && first < gap) continue;
        yield rest.map((changes, index) => (index === gap ? [change, ...changes] : changes));
      }
}

async function lost(limit: number, concurrency: number, changes: Change[][]): Promise<number[]> {
  const list = createMovingList({ ...STILL, rows: ROWS, limit, cap: limit, changes });
  const emitted = new Set<number>();
  const batches = readMovingList(list, concurrency, null, async () => undefined);
  for await (const { rows } of batches)
    for (const row of rows) {
      if (emitted.has(row)) throw new Error(`row ${row} came twice`);
      emitted.add(row);
    }
  return list.persistent().filter((row) => !emitted.has(row));
}

test.each([
  { limit: 2, concurrency: 1 },
  { limit: 3, concurrency: 1 },
  { limit: 2, concurrency: 4 },
])(
  `no placement of up to ${MAX_CHANGES} changes in 6 gaps loses a row: $limit rows a page, $concurrency at once`,
  async ({ limit, concurrency }) => {
    let count = 0;
    for (const changes of schedules(MAX_CHANGES)) {
      count++;
      const rows = await lost(limit, concurrency, changes);
      if (rows.length > 0) expect.fail(`rows ${rows.join()} are lost with ${JSON.stringify(changes)}`);
    }
    expect(count).toBeGreaterThan(isLong ? 10_000 : 1_000);
  },
);
