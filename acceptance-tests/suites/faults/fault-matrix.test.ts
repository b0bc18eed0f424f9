import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogue } from '../../sandbox/faults/catalogue.ts';
import { faultNames, startSandbox } from '../../sandbox/client.ts';
import type { Sandbox } from '../../sandbox/client.ts';
import { cellRuns, nameOf } from './fault-cells.ts';
import type { CellRun } from './fault-cells.ts';
import { runCells } from './fault-run.ts';
import { secretPieces } from './secret-forms.ts';

/** `FAULT_MATRIX=all` runs every cell at every place of a list; without it each cell runs at one place. */
const whole = process.env['FAULT_MATRIX'] === 'all';
/** Those with which a process does nothing but wait. */
const waitingFaults = ['connectionRefused', 'stalledHeaders', 'stalledBody', 'tricklingBody'];
/** Processes side by side, beside twice as many of those. */
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

function isWaiting({ cells }: CellRun): boolean {
  return cells.some(({ fault }) => waitingFaults.includes(fault));
}

test('whatever the API or the network does: complete data or a clear failure, and no secret in any output', async () => {
  const lines: string[] = [];
  const wrong: string[] = [];
  const work = async (left: IterableIterator<CellRun>): Promise<void> => {
    for (const run of left) {
      // what breaks a rule for every run is thrown: it is one more way to be wrong
      const outcome = await runCells(run, sandbox, folder).catch((error: unknown) => ({
        endings: {},
        wrong: [String(error)],
      }));
      lines.push(`${nameOf(run)}: ${JSON.stringify(outcome.endings)}`);
      wrong.push(...outcome.wrong.map((words) => `${nameOf(run)}: ${words}`));
    }
  };
  const [waiting, busy] = [true, false].map((waits) =>
    cellRuns(whole)
      .filter((run) => isWaiting(run) === waits)
      .values(),
  );
  const workers = Array.from({ length: 3 * busyAtOnce }, (_, worker) =>
    worker < busyAtOnce ? busy : waiting,
  );
  await Promise.all(workers.map((left) => work(left ?? [].values())));
  console.log(lines.toSorted((a, b) => a.localeCompare(b)).join('\n'));
  expect(lines).toHaveLength(cellRuns(whole).length);
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

test('a secret is found in each form in which it travels, a part of it too', () => {
  const secret = 'canary+"secret"/%é 0123456789abcdefgh';
  const pieces = secretPieces([secret]);
  const isFound = (text: string): boolean => pieces.some((piece) => `you sent ${text}`.includes(piece));
  const parts = [secret.slice(0, 20), secret.slice(9)];
  const base64 = ['', 'a', 'ab'].map((before) => Buffer.from(`${before}${secret}bc`).toString('base64'));
  const inAddress = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  for (const form of [JSON.stringify(secret), encodeURIComponent(secret), ...parts, ...base64, ...inAddress])
    expect(isFound(form), form).toBe(true);
  expect(isFound('canary-client, secret: ******')).toBe(false);
});
