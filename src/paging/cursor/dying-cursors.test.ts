import { expect, test } from 'vitest';
import type { CursorPage, PageRequest } from './list.ts';
import { NO_DELAY, NO_STATE, readModel, turns } from './model-reads.fake.ts';
import {
  FORMAT,
  ModelError,
  ORDINARY_SERVER,
  createModelServer,
  evenRows,
  type ModelRow,
  type ModelServer,
} from './model-server.fake.ts';
import { choicesOf } from './model-worlds.fake.ts';

const ROWS = evenRows(600, 3);

test('chains whose cursors are refused and whose pages fail now and then lose and repeat nothing, whichever of them is given up', async () => {
  let restarts = 0;
  for (let seed = 1; seed <= 40; seed++) {
    const { between } = choicesOf(seed);
    const server = createModelServer({
      ...ORDINARY_SERVER,
      rows: ROWS,
      order: 'ascending',
      pageSize: between(3, 8),
      cursors: 'keys',
      steps: [0],
      now: 3 * ROWS.length,
      refusals: between(2, 10),
      outages: between(0, 10),
      maxRequests: Infinity,
    });
    const config = {
      start: undefined,
      end: undefined,
      limit: undefined,
      lookback: 5,
      chains: between(2, 8),
      pageSize: null,
      format: FORMAT,
      tuning: {},
    };
    const delay = turns(() => between(0, 4));
    const emitted: string[] = [];
    for await (const { texts, said } of readModel(server, NO_STATE, config, delay)) {
      emitted.push(...texts);
      restarts += said.filter((event) => event === 'asked again').length;
    }
    expect(emitted.map(Number).toSorted((a, b) => a - b)).toStrictEqual(ROWS.map(({ id }) => id));
  }
  expect(restarts).toBeGreaterThan(100);
});

type Answer = (request: PageRequest) => CursorPage<ModelRow>;

/** Reads a list of 600 rows, of which something changes the answers. Returns what came, what was said, and how the read ended. */
async function readChanged(change: (answer: Answer, server: ModelServer) => Answer, pageSize = 5) {
  const [order, cursors] = ['ascending', 'keys'] as const;
  const base = { ...ORDINARY_SERVER, order, cursors, pageSize, steps: [0], now: 3 * ROWS.length };
  const server = createModelServer({ ...base, rows: ROWS });
  const limits = { start: undefined, end: undefined, limit: undefined, lookback: 5, chains: 1 };
  const config = { ...limits, pageSize: null, format: FORMAT, tuning: {} };
  const fetchPage = change(server.fetchPage, server);
  const texts: string[] = [];
  const events: string[] = [];
  const read = async (): Promise<string> => {
    for await (const batch of readModel({ ...server, fetchPage }, NO_STATE, config, NO_DELAY)) {
      texts.push(...batch.texts);
      events.push(...batch.said);
    }
    return 'the end';
  };
  const end = await read().catch(String);
  return { texts, events, end, requests: server.options.requests };
}

test('a read ends although the text of its rows differs in each response, and cursors die', async () => {
  let [pages, responses] = [0, 0];
  const { end, requests } = await readChanged((answer) => (request) => {
    pages = request.after === null ? 0 : pages + 1;
    if (pages === 20) throw new ModelError('refused');
    responses++;
    const page = answer(request);
    const rows = page.rows.map((row) => ({ ...row, text: `${row.text}, response ${responses}` }));
    return { ...page, rows };
  });
  expect(end).toBe('Error: cursors expire');
  expect(requests).toBeLessThan(20 * 15);
});

test('one empty first page, as while an index is renewed, is not believed', async () => {
  let chains = 0;
  let pages = 0;
  const { texts, events, end } = await readChanged((answer) => (request) => {
    if (request.after === null) chains++;
    pages++;
    if (pages === 50) throw new ModelError('refused');
    const page = answer(request);
    return request.after === null && chains === 2 ? { ...page, rows: [], next: null } : page;
  });
  expect(end).toBe('the end');
  expect(texts).toEqual(ROWS.map(({ text }) => text));
  expect(events).toEqual(['asked again']);
});

test.each([1, 5])('a read goes on while asking again brings new rows, with pages of %i', async (pageSize) => {
  let pages = 0;
  const { texts, events, end } = await readChanged(
    (answer) => (request) => {
      pages = request.after === null ? 0 : pages + 1;
      if (pages === 30 / pageSize) throw new ModelError('refused');
      return answer(request);
    },
    pageSize,
  );
  expect(end).toBe('the end');
  expect(texts).toEqual(ROWS.map(({ text }) => text));
  expect(events.length).toBeGreaterThan(5);
});

test('where waits are rare, however many, no cursor is sent that is too old', async () => {
  let pages = 0;
  const { texts, events, end } = await readChanged((answer, { options }) => (request) => {
    if (request.after !== null) expect(request.sendByMs).not.toBe(null);
    if (++pages % 20 === 0) options.now += 100;
    return answer(request);
  });
  expect(end).toBe('the end');
  expect(texts).toEqual(ROWS.map(({ text }) => text));
  expect(new Set(events)).toEqual(new Set(['asked again']));
  expect(events.length).toBeGreaterThan(4);
});
