import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogue } from '../../sandbox/faults/catalogue.ts';
import { faultNames, startSandbox } from '../../sandbox/client.ts';
import type { Sandbox } from '../../sandbox/client.ts';
import { eachList } from '../../sandbox/lists.ts';
import { cellRuns, nameOf } from './fault-cells.ts';
import type { CellRun } from './fault-cells.ts';
import { runCells } from './fault-run.ts';
import { faultTable } from './fault-table.ts';
import type { Result } from './fault-table.ts';
import { inPool } from './pool.ts';

/** `FAULT_MATRIX=all` runs every cell at every place of a list; without it each cell runs at one place. */
const whole = process.env['FAULT_MATRIX'] === 'all';
/** Those with which a process does nothing but wait. */
const waitingFaults = ['connectionRefused', 'stalledHeaders', 'stalledBody', 'tricklingBody'];
/** Processes side by side, beside those. */
const busyAtOnce = 4;

let sandbox: Sandbox;
let folder: string;

beforeAll(async () => {
  [sandbox, folder] = await Promise.all([startSandbox(), mkdtemp(join(tmpdir(), 'faults-'))]);
});
afterAll(async () => {
  await sandbox.stop();
  await rm(folder, { recursive: true });
});

test('whatever the API or the network does: complete data or a clear failure, and no secret in any output', async () => {
  const results: Result[] = [];
  const wrong: string[] = [];
  const judge = async (run: CellRun): Promise<void> => {
    // what breaks a rule for every run is thrown: it is one more way to be wrong
    const outcome = await runCells(run, sandbox, folder).catch((error: unknown) => ({
      endings: eachList(() => 'other' as const),
      wrong: [String(error)],
    }));
    for (const cell of run.cells) {
      const ending = outcome.endings[cell.endpoint === 'token' ? 'assets' : cell.endpoint];
      results.push({ cell, ending, right: outcome.wrong.length === 0 });
    }
    wrong.push(...outcome.wrong.map((words) => `${nameOf(run)}: ${words}`));
  };
  const runs = cellRuns(whole);
  const waiting = runs.filter(isWaiting);
  const busy = runs.filter((run) => !isWaiting(run));
  await Promise.all([inPool(waiting, 4 * busyAtOnce, judge), inPool(busy, busyAtOnce, judge)]);
  console.log(faultTable(results));
  expect(wrong).toStrictEqual([]);
}, 600_000);

test.each([
  ['the cover', false, 1],
  ['the whole matrix', true, 3],
])('%s has each fault at each endpoint in both forms', (_, all, places) => {
  const cells = cellRuns(all).flatMap((run) => run.cells);
  for (const fault of faultNames)
    for (const endpoint of catalogue[fault].endpoints)
      for (const form of ['passing', 'permanent']) {
        const found = cells.filter(
          (cell) => cell.fault === fault && cell.endpoint === endpoint && cell.form === form,
        );
        const least = endpoint === 'token' ? 1 : places;
        expect(found.length, `${fault}, ${endpoint}, ${form}`).toBeGreaterThanOrEqual(least);
      }
});

function isWaiting({ cells }: CellRun): boolean {
  return cells.some(({ fault }) => waitingFaults.includes(fault));
}
