import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../src/config/temporary-file.test-support.ts';
import { faultKinds } from '../../sandbox/faults/fault-kinds.ts';
import { faultNames, startSandbox, type EndpointName } from '../../sandbox/client.ts';
import { predefinedNames } from '../../sandbox/lists.ts';
import { cellRuns, nameOf, type Cell } from './fault-cells.ts';
import { wrongWith } from './fault-run.ts';
import { secretPieces } from './secret-forms.ts';

/** `FAULT_MATRIX=all` runs every cell at every place of a list; without it each cell runs at one place. */
const whole = process.env['FAULT_MATRIX'] === 'all';
/** Faults with which a process only waits. */
const waitingFaults = ['connectionRefused', 'stalledHeaders', 'stalledBody', 'tricklingBody'];
const isWaiting = (cells: readonly Cell[]): boolean =>
  cells.some(({ fault }) => waitingFaults.includes(fault));
const busyAtOnce = 4; // busy processes at a time; twice as many may wait

test('whatever the API or the network does: complete data or a clear failure, and no secret in any output', async () => {
  const [sandbox, folder] = [await startSandbox(), temporaryDirectory()];
  const wrong: string[] = [];
  const work = async (left: Iterable<readonly Cell[]>): Promise<void> => {
    for (const cells of left) {
      // a run that breaks a general rule throws
      const found = await wrongWith(cells, sandbox, folder).catch((error: unknown) => [String(error)]);
      wrong.push(...found.map((words) => `${nameOf(cells)}: ${words}`));
    }
  };
  const runs = cellRuns(whole);
  const waiting = runs.filter(isWaiting).values();
  const busy = runs.filter((cells) => !isWaiting(cells)).values();
  await Promise.all(
    Array.from({ length: 3 * busyAtOnce }, (_, worker) => work(worker < busyAtOnce ? busy : waiting)),
  );
  await sandbox.stop();
  expect([...waiting, ...busy]).toStrictEqual([]);
  expect(wrong).toStrictEqual([]);
});

const isCovered = (endpoint: EndpointName): boolean =>
  endpoint === 'token' || predefinedNames.some((name) => name === endpoint);

test.each([
  ['the cover', false, 1],
  ['the whole matrix', true, 3],
])('%s has each fault at each endpoint in both forms', (_, all, places) => {
  const names = cellRuns(all).flatMap((cells) => cells.map((cell) => nameOf([{ ...cell, at: 'any' }])));
  for (const fault of faultNames)
    for (const endpoint of faultKinds[fault].endpoints.filter(isCovered))
      for (const form of ['passing', 'permanent']) {
        const name = `${faultKinds[fault].title}, ${endpoint}, any (${form})`;
        const min = endpoint === 'token' ? 1 : places;
        expect(names.filter((one) => one === name).length, name).toBeGreaterThanOrEqual(min);
      }
});

test('a secret is found in every encoding, also in part', () => {
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
