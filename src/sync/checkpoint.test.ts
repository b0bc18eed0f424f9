import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../property-runs.test-support.ts';
import { createRedactor } from '../protocol/redactor.ts';
import { rowOf } from '../rows/row.test-support.ts';
import type { Row } from '../rows/row.ts';
import { createCheckpoints } from './checkpoint.ts';

function rowWith(id: number): Row {
  return rowOf({ id });
}

interface Line {
  readonly record?: { readonly data: { readonly id: number } };
  readonly state?: {
    readonly stream: { readonly stream_state: { readonly upTo: number } };
    readonly sourceStats: { readonly recordCount: number };
  };
}

function parse(bytes: Buffer): Line[] {
  return bytes
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

test('a state covers exactly the records before it, and counts those since the previous state', () => {
  const batches = fc.array(
    fc.record({
      rows: fc.integer({ min: 0, max: 4 }),
      hasState: fc.boolean(),
      waitMs: fc.integer({ min: 0, max: 8000 }),
    }),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(batches, (list) => {
      const checkpoints = createCheckpoints('assets', createRedactor(), null, 5000, 0);
      let now = 0;
      let emitted = 0;
      let offered = 0;
      const lines: Line[] = [];
      for (const { rows, hasState, waitMs } of list) {
        now += waitMs;
        const upTo = emitted + rows;
        if (hasState) offered = upTo;
        const batch = {
          rows: Array.from({ length: rows }, (_, index) => rowWith(emitted + index)),
          total: undefined,
          state: hasState ? () => ({ upTo }) : null,
        };
        emitted = upTo;
        lines.push(...parse(checkpoints.batch(batch, 0, now)));
      }
      lines.push(...parse(checkpoints.last()));
      expect(checkpoints.last()).toHaveLength(0);

      let records = 0;
      let sinceState = 0;
      let lastState = 0;
      for (const { record, state } of lines) {
        if (record !== undefined) {
          expect(record.data.id).toBe(records++);
          sinceState++;
        }
        if (state === undefined) continue;
        lastState = state.stream.stream_state.upTo;
        expect(lastState).toBeLessThanOrEqual(records);
        expect(state.sourceStats.recordCount).toBe(sinceState);
        sinceState = 0;
      }
      expect(records).toBe(emitted);
      expect(lastState).toBe(offered);
    }),
    { numRuns: runs(2000) },
  );
});

test('without a minimum time between states every batch has its own', () => {
  const checkpoints = createCheckpoints('assets', createRedactor(), null, 0, 0);
  const lines = [1, 2].map((upTo) =>
    parse(checkpoints.batch({ rows: [rowWith(upTo)], state: () => ({ upTo }) }, 0, 0)),
  );
  expect(lines.map((of) => of.map(({ state }) => state?.stream.stream_state.upTo))).toStrictEqual([
    [undefined, 1],
    [undefined, 2],
  ]);
});
