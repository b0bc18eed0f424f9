import { expect, test } from 'vitest';
import { createRowLedger } from './row-ledger.ts';

async function* rows(from: number, to: number): AsyncGenerator<string> {
  for (let row = from; row < to; row += 1) yield `{"row":${row}}`;
}

test('100,000 rows, each once', async () => {
  const ledger = createRowLedger();
  for await (const row of rows(0, 100_000)) ledger.add(row);
  expect(ledger.count()).toBe(100_000);
  expect(await ledger.compare(rows(0, 100_000), undefined)).toStrictEqual({
    lost: 0,
    doubled: 0,
    altered: 0,
  });
});

test('rows that may be there or not', async () => {
  const ledger = createRowLedger();
  for await (const row of rows(0, 50)) ledger.add(row);
  expect(await ledger.compare(rows(0, 40), rows(0, 60))).toStrictEqual({ lost: 0, doubled: 0, altered: 0 });
});

test('what is lost, doubled and altered is counted', async () => {
  const ledger = createRowLedger();
  for await (const row of rows(2, 50)) ledger.add(row);
  for await (const row of rows(10, 13)) ledger.add(row);
  ledger.add('{"row": 3}');
  expect(await ledger.compare(rows(0, 50), rows(0, 50))).toStrictEqual({ lost: 2, doubled: 3, altered: 1 });
});
