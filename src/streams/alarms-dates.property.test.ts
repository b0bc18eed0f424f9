import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import type { AlarmsConfig } from '../config/config.ts';
import { readTime, writeTime } from '../paging/instant.ts';
import type { StreamState } from '../protocol/messages.ts';
import { FORMATS, NOW, SECOND, server } from './alarm-server.arbitraries.fake.ts';
import { createAlarmServer } from './alarm-server.fake.ts';
import type { AlarmServerOptions } from './alarm-server.fake.ts';
import { CONFIG, WHOLE, readOnce } from './alarms-runs.fake.ts';
import type { Run } from './alarms-runs.fake.ts';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 2000);

/** One read with its dates, in s around the model's present; undefined: none. */
interface DatedRun {
  readonly run: Run;
  readonly start: number | undefined;
  readonly end: number | undefined;
}

const date = fc.option(fc.integer({ min: -420, max: 60 }), { nil: undefined, freq: 4 });

function datedRuns(run: fc.Arbitrary<Run>): fc.Arbitrary<DatedRun[]> {
  return fc.array(fc.record({ run, start: date, end: date }), { minLength: 1, maxLength: 5 });
}

const killed: fc.Arbitrary<Run> = fc.record({
  killedAfter: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
  states: fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
});

function dateText(seconds: number): string {
  return writeTime(NOW - (NOW % SECOND) + BigInt(seconds) * SECOND, FORMATS['seconds'] as never);
}

function configWith({ start, end }: Omit<DatedRun, 'run'>, chains: number): AlarmsConfig {
  return {
    ...CONFIG,
    parallel_chains: chains,
    ...(start === undefined ? {} : { start_date: dateText(start) }),
    ...(end === undefined ? {} : { end_date: dateText(end) }),
  };
}

/** Reads with changing dates and a last one from the earliest start on without an end; the rows, and those expected. */
async function readAll(
  options: AlarmServerOptions,
  planned: readonly DatedRun[],
  chains: number,
): Promise<{ emitted: number[]; expected: number[] }> {
  const api = createAlarmServer(options);
  const starts = planned.map(({ start }) => start);
  const start = starts.includes(undefined) ? undefined : Math.min(...(starts as number[]));
  const emitted: number[] = [];
  let state: StreamState | null = null;
  for (const one of planned) {
    const result = await readOnce(api, state, one.run, configWith(one, chains));
    emitted.push(...result.rows);
    state = result.state;
  }
  api.keepCursors();
  const from = start === undefined ? undefined : readTime(dateText(start))?.instant;
  const wanted = new Set(
    options.alarms.filter(({ created }) => from === undefined || created >= from).map(({ id }) => id),
  );
  const expected = api.visible().filter((id) => wanted.has(id));
  const last = await readOnce(api, state, WHOLE, configWith({ start, end: undefined }, chains));
  emitted.push(...last.rows);
  expect(last.complete).toBe(true);
  return { emitted, expected };
}

test('whatever the dates were before, nothing from the earliest start on is missing, crashes and all', async () => {
  await fc.assert(
    fc.asyncProperty(
      server,
      datedRuns(killed),
      fc.constantFrom(1, 1, 3),
      async (options, planned, chains) => {
        const { emitted, expected } = await readAll(options, planned, chains);
        const got = new Set(emitted);
        expect(expected.filter((id) => !got.has(id))).toStrictEqual([]);
      },
    ),
    { numRuns: RUNS },
  );
});

test('without crashes each alarm comes exactly once, whatever order the dates change in', async () => {
  await fc.assert(
    fc.asyncProperty(server, datedRuns(fc.constant(WHOLE)), async (options, planned) => {
      const kept = { ...options, cursorLife: Number.POSITIVE_INFINITY };
      const { emitted, expected } = await readAll(kept, planned, 1);
      expect(emitted.filter((id, index) => emitted.indexOf(id) !== index)).toStrictEqual([]);
      const got = new Set(emitted);
      expect(expected.filter((id) => !got.has(id))).toStrictEqual([]);
    }),
    { numRuns: RUNS },
  );
});
