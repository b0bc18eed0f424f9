import { expect, test } from 'vitest';
import { fastWaits } from '../../support/fast-time.ts';
import { program } from '../../support/program.ts';
import { outline, start, useRowApi } from './process-fixture.ts';

const MIB = 1024 ** 2;
const PAGE = `{"items":[${'{"a":1},'.repeat(MIB - 1)}{"a":1}],"metadata":{"pagination":{"offset":0}}}`;

test.each([
  ['whose heap is small', '--max-old-space-size=256'],
  ['whose heap is nearly large enough', '--max-old-space-size=270'],
  ['whose WebAssembly memory cannot grow', '--wasm-max-mem-pages=100'],
])('a page that exceeds a process %s fails with a clear error', async (_, option) => {
  const { config } = await useRowApi(1, 0, {
    assets: (_before, response) => {
      response.end(PAGE);
      return true;
    },
  });
  const instead = [process.execPath, option, program];
  const running = await start('read', config, { env: fastWaits(50), instead });
  const { code, stderr, messages } = await running.ended();
  expect([code, stderr]).toStrictEqual([75, '']);
  // with some versions of Node.js the page fits into the small heap: then a STATE follows, and the next request meets the same page
  const mayFit = option.startsWith('--max');
  const words = outline(messages).filter((word) => word !== 'RUNNING' && !(mayFit && word === 'STATE'));
  expect(words).toStrictEqual([
    'STARTED',
    expect.stringMatching(
      mayFit
        ? /does not fit into memory; set a smaller page_size|it ignores the offset/
        : /the page of \d+ MiB does not fit into memory; set a smaller page_size/,
    ),
    'INCOMPLETE',
  ]);
});
