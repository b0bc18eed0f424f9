import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createWorkplace } from './workplace.test-support.ts';

const log = (message: string): string =>
  `${JSON.stringify({ type: 'LOG', log: { level: 'INFO', message } })}\n`;

const OK = { code: 0, stderr: '' };

test('metrics.sh: an incomplete stream, singular counts, and a read without a summary', async () => {
  const { folder, run, write, textOf, named, metrics } = await createWorkplace({});
  const [out, file] = [join(folder, 'out.jsonl'), join(folder, 'read.prom')];
  const counts = '1 request, 1,234 retries, 1 token requested, 0.5 s';
  write(
    'out.jsonl',
    log('a 9 rows; 9 requests, 9 retries, 9 tokens requested, 9.0 s') +
      log(
        `trips_2 1 row (incomplete, newest 2024-02-29T23:59:59.123456789Z, the latest of 1,200 late rows appeared 2,870 s after it was created), x 12,345,678 rows (newest 2024-02-29T23:59:59Z, a late row appeared 7.5 s after it was created), y 2 rows (newest 2024-02-29T23:59:59Z); ${counts}`,
      ),
  );
  expect(await run('metrics.sh', out, '1', file)).toStrictEqual(OK);
  expect(metrics()).toMatchObject({
    'rows{stream="trips_2"}': 1,
    'rows{stream="x"}': 12_345_678,
    'complete{stream="trips_2"}': 0,
    'newest_created_timestamp_seconds{stream="trips_2"}': Date.parse('2024-02-29T23:59:59.123Z') / 1000,
    'late_rows{stream="trips_2"}': 1200,
    'latest_row_delay_seconds{stream="trips_2"}': 2870,
    'late_rows{stream="x"}': 1,
    'latest_row_delay_seconds{stream="x"}': 7.5,
    'rows{stream="y"}': 2,
    requests: 1,
    retries: 1234,
    tokens: 1,
    duration_seconds: 0.5,
  });
  // as a terminal ends lines
  const before = metrics();
  write('out.jsonl', textOf('out.jsonl').replaceAll('\n', '\r\n'));
  expect(await run('metrics.sh', out, '1', file)).toStrictEqual(OK);
  expect(metrics()).toStrictEqual({
    ...before,
    end_timestamp_seconds: expect.any(Number) as number,
  });
  write('out.jsonl', '');
  expect(await run('metrics.sh', out, '137', file)).toStrictEqual(OK);
  expect(metrics()).toStrictEqual({ exit_code: 137, end_timestamp_seconds: expect.any(Number) as number });
  expect((await run('metrics.sh', '/nowhere', '0', file)).code).not.toBe(0);
  expect(named(/prom/)).toStrictEqual(['read.prom']);
});
