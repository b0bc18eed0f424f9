import { expect, test } from 'vitest';
import { fingerprint } from '../identities.ts';
import { readOffsetList, type OffsetBatch } from './read.ts';
import { pagesOf, readOf } from './at-rest.fake.ts';
import type { OffsetPosition } from './place.ts';

const LIMIT = 10;

/** A list of texts, newest first, which `before` may change before each answer; it receives the requested offset. */
function createList(size: number): {
  readonly rows: string[];
  readonly read: (
    from: OffsetPosition | null,
    before: (offset: number) => void,
    warnings: string[],
  ) => AsyncGenerator<OffsetBatch<string>>;
} {
  const rows = Array.from({ length: size }, (_, index) => `old ${index}`);
  const pageAt = pagesOf(rows, LIMIT, {});
  return {
    rows,
    read: (from, before, warnings) =>
      readOffsetList<string>({
        ...readOf(async (offset) => {
          before(offset);
          return pageAt(offset);
        }),
        from,
        notify: async ({ kind }) => void warnings.push(kind),
      }),
  };
}

test('rows inserted since an interrupted read began are read, and nothing is repeated', async () => {
  const list = createList(60);
  const warnings: string[] = [];
  const emitted: string[] = [];
  let position: OffsetPosition | null = null;
  for await (const batch of list.read(null, () => undefined, warnings)) {
    emitted.push(...batch.rows);
    position = batch.state?.() ?? null;
    if (emitted.length > 25) break;
  }
  list.rows.unshift(...Array.from({ length: 5 }, (_, index) => `between ${index}`));
  let wasAtEnd = false;
  let isAtHead = false;
  let late = 0;
  const comeIn = (offset: number): void => {
    if (wasAtEnd && !isAtHead && offset === 0) list.rows.unshift(`late ${late++}`);
    wasAtEnd ||= offset > 60;
    isAtHead ||= wasAtEnd && offset === 0;
  };
  for await (const { rows } of list.read(position, comeIn, warnings)) emitted.push(...rows);
  expect(late).toBe(1);
  expect(warnings).toStrictEqual([]);
  expect(emitted.toSorted()).toStrictEqual(list.rows.toSorted());
});

test('rows after many inserted ones are repeated only after a warning', async () => {
  const list = createList(200);
  const inserted = Array.from({ length: 100 }, (_, index) => `between ${index}`);
  const from = {
    offset: 300,
    anchors: list.rows.slice(-10).map(fingerprint),
    head: list.rows.splice(0, 32).map(fingerprint),
    rows: 300,
  };
  list.rows.unshift(...inserted);
  const warnings: string[] = [];
  for await (const { rows } of list.read(from, () => undefined, warnings))
    if (rows.length > 0) expect(warnings).toStrictEqual(['the head is gone']);
  expect(warnings).toHaveLength(1);
});

test('no warning comes if the rows with which an interrupted read began were deleted, and none is new', async () => {
  const list = createList(60);
  const head = list.rows.splice(0, 20).map(fingerprint);
  const from = { offset: 30, anchors: list.rows.slice(0, 10).map(fingerprint), head, rows: 30 };
  const warnings: string[] = [];
  let read = 0;
  for await (const { rows } of list.read(from, () => undefined, warnings)) read += rows.length;
  expect([read, warnings]).toStrictEqual([30, []]);
});

test('that rows are inserted before the place is said once', async () => {
  const list = createList(60);
  const rows = list.rows.slice();
  const from = {
    offset: 20,
    anchors: rows.slice(10, 20).map(fingerprint),
    head: rows.slice(0, 10).map(fingerprint),
    rows: 20,
  };
  // so that a page begins with known rows, and a new one follows before the last of them
  const insert = (offset: number): void => {
    const row = list.rows.length;
    list.rows.unshift(`at the head ${row}`);
    list.rows.splice(offset + 1, 0, `between ${row}`);
  };
  const warnings: string[] = [];
  const emitted: string[] = [];
  for await (const batch of list.read(from, insert, warnings)) {
    emitted.push(...batch.rows);
    if (emitted.length > 30) break;
  }
  expect(warnings).toStrictEqual(['rows were inserted before the place']);
});

test('a row that moves between the rows with which an interrupted read began is read', async () => {
  const list = createList(60);
  let from: OffsetPosition | null = null;
  let rowsRead = 0;
  for await (const { rows, state } of list.read(null, () => undefined, [])) {
    from = state?.() ?? null;
    rowsRead += rows.length;
    if (rowsRead > 25) break;
  }
  // the next read does not see its old place any more
  list.rows.splice(1, 0, ...list.rows.splice(50, 1));
  const emitted: string[] = [];
  for await (const { rows } of list.read(from, () => undefined, [])) emitted.push(...rows);
  expect(emitted).toContain('old 50');
});
