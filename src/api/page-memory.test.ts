import { setMaxListeners } from 'node:events';
import { expect, test } from 'vitest';
import type { Row } from '../rows/row.ts';
import { createPageMemory } from './page-memory.ts';

const MIB = 1024 * 1024;
const { signal } = new AbortController();
// all lists of a process wait with one signal
setMaxListeners(0, signal);

function pageOf(bytes: number) {
  return async () => ({ rows: [{ bytes: Buffer.alloc(bytes) }] as unknown as readonly Row[] });
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Lists in the order in which their turns come; each begins at once. */
function start(maxBytes: number, count: number) {
  const memory = createPageMemory(maxBytes);
  const begun: number[] = [];
  const waited: number[] = [];
  const lists = Array.from({ length: count }, (_, index) => {
    const list = memory.openList();
    const turn = list.begin(signal, async () => void waited.push(index)).then(() => begun.push(index));
    return { ...list, turn };
  });
  return { memory, lists, begun, waited };
}

test('before any page, a list is assumed to hold two of 8 MiB; small pages let all others begin', async () => {
  const { lists, begun, waited } = start(64 * MIB, 300);
  await settle();
  expect([begun, waited.length]).toStrictEqual([[0, 1, 2, 3], 296]);
  for (const list of lists.slice(0, 4)) await list.request(pageOf(1000));
  await settle();
  expect(begun).toHaveLength(300);
});

test('lists with large pages have their turns one after the other', async () => {
  const { lists, begun } = start(64 * MIB, 12);
  await settle();
  for (const list of lists.slice(0, 4)) await list.request(pageOf(10 * MIB));
  await settle();
  expect(begun).toHaveLength(4);
  lists[0]?.end();
  await settle();
  // the others hold 60 MiB
  expect(begun).toHaveLength(4);
  lists[1]?.end();
  await settle();
  expect(begun).toStrictEqual([0, 1, 2, 3, 4]);
});

test('a list whose pages exceed the maximum is read alone', async () => {
  const { lists, begun } = start(10 * MIB, 2);
  await settle();
  await lists[0]?.request(pageOf(50 * MIB));
  await lists[0]?.request(pageOf(50 * MIB));
  expect(begun).toStrictEqual([0]);
  lists[0]?.end();
  await settle();
  expect(begun).toStrictEqual([0, 1]);
});

test('requests in flight count, with a page ahead of each', async () => {
  const { lists, begun, memory } = start(64 * MIB, 1);
  await settle();
  const requests = lists.flatMap((list) => Array.from({ length: 4 }, () => list.request(pageOf(8 * MIB))));
  await Promise.all(requests);
  const next = memory.openList();
  const waits: string[] = [];
  void next.begin(signal, async () => void waits.push('next'));
  await settle();
  expect([begun, waits]).toStrictEqual([[0], ['next']]);
});

test('an aborted wait leaves the turn to the next list', async () => {
  const { lists, begun, memory } = start(16 * MIB, 1);
  const stop = new AbortController();
  const aborted = memory.openList().begin(stop.signal, async () => undefined);
  const last = memory.openList().begin(signal, async () => undefined);
  await settle();
  stop.abort(new Error('stopped'));
  await expect(aborted).rejects.toThrow('stopped');
  lists[0]?.end();
  await last;
  expect(begun).toStrictEqual([0]);
});
