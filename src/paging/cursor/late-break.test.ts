import { expect, test } from 'vitest';
import { MIN_INSTANT } from '../instant.ts';
import { NO_DELAY, NO_STATE, readModel, type ModelConfig } from './model-reads.fake.ts';
import { FORMAT, ORDINARY_SERVER, createModelServer, rowsAt, type ModelRow } from './model-server.fake.ts';

/** Newer rows, and then older ones: the order seems to be proven for long. */
const ROWS = rowsAt(Array.from({ length: 60 }, (_, row) => (row < 40 ? 100 + row : row)));
const CONFIG: ModelConfig = {
  start: undefined,
  end: undefined,
  limit: undefined,
  lookback: 5,
  chains: 1,
  pageSize: null,
  format: FORMAT,
  tuning: {},
};

function createServer(all: readonly ModelRow[], pageSize: number) {
  // the place of a row is its number
  const rows = all.map((row) => ({ ...row, visible: row.id }));
  return createModelServer({
    ...ORDINARY_SERVER,
    rows,
    order: 'arrival',
    pageSize,
    cursors: 'keys',
    steps: [0],
    now: 2000,
  });
}

test.each([1, 3, 7])(
  'once the order breaks, a read that is killed starts over where it began, with one WARN: pages of %i',
  async (pageSize) => {
    let isBroken = false;
    const emitted: string[] = [];
    for await (const { texts, said, state, end } of readModel(
      createServer(ROWS, pageSize),
      NO_STATE,
      CONFIG,
      NO_DELAY,
    )) {
      emitted.push(...texts);
      if (said.length > 0) expect([isBroken, said]).toEqual([false, ['order broken']]);
      isBroken ||= said.length > 0;
      if (isBroken && end === null) expect(state().question).toBe(MIN_INSTANT);
      if (end === null) continue;
      // the newest row decides, wherever it stands
      expect(state().question).toBeGreaterThan(MIN_INSTANT);
    }
    expect(isBroken).toBe(true);
    expect(emitted.map(Number)).toEqual(ROWS.map(({ id }) => id));
  },
);

test('once the order breaks, one chain reads on', async () => {
  const [rows, oldRow] = [120, 30];
  const times = Array.from({ length: rows }, (_, row) => (row === oldRow ? 0 : 1000 + row));
  const server = createServer(rowsAt(times), 5);
  const bounds = new Set<string | null>();
  let isBroken = false;
  const fetchPage: typeof server.fetchPage = (request) => {
    if (isBroken) bounds.add(request.createdSince);
    return server.fetchPage(request);
  };
  const tuning = { enough: 3, jumpOverlaps: 1n, jumpPages: 1n };
  const config = { ...CONFIG, chains: 3, lookback: 0, tuning };
  let emitted = 0;
  for await (const { said, texts } of readModel({ ...server, fetchPage }, NO_STATE, config, NO_DELAY)) {
    isBroken ||= said.includes('order broken');
    emitted += texts.length;
  }
  expect(emitted).toBe(rows);
  expect(isBroken).toBe(true);
  expect([...bounds]).toEqual([null]);
});
