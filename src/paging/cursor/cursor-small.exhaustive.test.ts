import { describe, expect, test } from 'vitest';
import { isLong } from '../../property-runs.test-support.ts';
import { NO_STATE, readModel, turns, type ModelState } from './model-reads.fake.ts';
import {
  FORMAT,
  ORDINARY_SERVER,
  createModelServer,
  type ModelOrder,
  type ModelRow,
  type ModelServerOptions,
} from './model-server.fake.ts';
import { MINUTE } from './model-worlds.fake.ts';

/** Of all lists, every so many is checked: all of them with EXHAUSTIVE_STEP=1, which takes an hour. */
const STEP = Number(process.env['EXHAUSTIVE_STEP'] ?? (isLong ? 101 : 2003));
const MAX_ROWS = 4;
/** In minutes. */
const TIMES = [0, 1, 2, 3];

/** All ascending lists of times. */
function lists(): readonly (readonly number[])[] {
  const found: (readonly number[])[] = [];
  const extend = (times: readonly number[]): void => {
    if (times.length > 0) found.push(times);
    if (times.length < MAX_ROWS)
      for (const time of TIMES) if (time >= (times.at(-1) ?? 0)) extend([...times, time]);
  };
  extend([]);
  return found;
}

interface Case {
  readonly rows: readonly ModelRow[];
  readonly order: ModelOrder;
  readonly cursors: ModelServerOptions['cursors'];
  readonly pageSize: number;
  readonly chains: number;
  readonly lookback: number;
  readonly now: number;
  readonly stallAfter: number; // batches of the first read; then its cursors have died
}

/** Every list with up to two late rows, in every order, with every kind of cursor, page size, number of chains, start and stall. */
function* cases(): Generator<Case> {
  let index = 0;
  for (const times of lists())
    for (const lookback of [0, 1, 2])
      for (let late = 0; late < 1 << times.length; late++) {
        const lateRows = times.filter((_, at) => ((late >> at) & 1) === 1).length;
        if (lateRows > 2 || (lookback === 0 && late > 0)) continue;
        const rows = times.map((time, id): ModelRow => {
          const created = time * MINUTE;
          const visible = created + ((late >> id) & 1) * lookback * MINUTE;
          return { id, text: `${time}.${id}`, created, bounded: created, visible, isFar: false };
        });
        for (const order of ['ascending', 'arrival', 'descending'] as const)
          for (const cursors of ['keys', 'row numbers'] as const)
            for (const pageSize of [1, 2])
              for (const chains of order === 'descending' ? [1] : [1, 2])
                for (const now of [0, 1, 2, 3, 4])
                  for (const stallAfter of [-1, 0, 1, 2])
                    if (index++ % STEP === 0)
                      yield { rows, order, cursors, pageSize, chains, lookback, now, stallAfter };
      }
}

/** Reads three times; the first read is killed after so many batches. Returns what is wrong, and whether it was killed. */
async function run(one: Case, killedAfter: number, slowest: number) {
  const { rows, order, cursors, pageSize, chains, lookback, stallAfter } = one;
  const server = createModelServer({
    ...ORDINARY_SERVER,
    rows,
    order,
    cursors,
    pageSize,
    bound: 'exclusive',
    cursorLife: 30,
    death: 'empty',
    steps: [MINUTE],
    now: one.now * MINUTE,
    maxRequests: 400,
  });
  const config = {
    start: undefined,
    end: undefined,
    lookback: lookback * MINUTE,
    limit: undefined,
    chains,
    pageSize: null,
    format: FORMAT,
    // nothing is remembered but what the question needs
    tuning: {
      enough: order === 'descending' ? 16 : 1,
      lastReceived: 0,
      sweptAfter: 0,
      jumpOverlaps: 1n,
      jumpPages: 0n,
    },
  };
  const emitted = new Set<string>();
  const covered = new Set<string>();
  const repeated: string[] = [];
  let state: ModelState = NO_STATE;
  let isAnnounced = false;
  let wasKilled = false;
  let turn = 0;
  const delay = turns(() => (turn++ % 2) * slowest);
  for (let read = 0; read < 3; read++) {
    let batches = 0;
    let pending: string[] = [];
    for await (const batch of readModel(server, state, config, delay)) {
      isAnnounced ||= batch.said.includes('order broken') || batch.said.includes('may repeat');
      for (const text of batch.texts) {
        if (covered.has(text) && !isAnnounced) repeated.push(text);
        emitted.add(text);
      }
      pending = [...pending, ...batch.texts];
      if (read === 0 && batches === killedAfter) {
        wasKilled = true;
        break;
      }
      for (const text of pending) covered.add(text);
      pending = [];
      state = batch.state();
      if (read === 0 && batches === stallAfter) server.options.now += 31;
      batches++;
    }
    if (read === 1) server.options.now += 10 * MINUTE;
  }
  const lost = rows.filter(({ text }) => !emitted.has(text)).map(({ text }) => text);
  return { wasKilled, problem: lost.length + repeated.length === 0 ? null : { lost, repeated } };
}

describe('small lists', () => {
  test(
    `every ${STEP}th case: whenever the first read is killed, nothing is lost or repeated`,
    { timeout: 3_600_000 },
    async () => {
      let runs = 0;
      for (const one of cases())
        for (const slowest of one.chains === 1 ? [0] : [0, 3])
          for (let killedAfter = 0, wasKilled = true; wasKilled; killedAfter++) {
            const result = await run(one, killedAfter, slowest);
            ({ wasKilled } = result);
            runs++;
            expect(result.problem, JSON.stringify({ ...one, killedAfter, slowest })).toBeNull();
          }
      expect(runs).toBeGreaterThan(100);
    },
  );
});
