import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../src/config/temporary-file.test-support.ts';
import { start, useRowApi } from '../process/process-fixture.ts';

test('one of several processes requests a token; if it is killed while it holds the lock, another one does', async () => {
  // the first request is never answered
  const { config, takenOver, tokens } = await useRowApi(10, 10, { token: (before) => before === 0 });
  const cache = join(temporaryDirectory(), 'cache');
  const race = (): ReturnType<typeof start> =>
    start('read', config, { env: { SOURCE_TRAILER_DATA_CACHE: cache } });

  const first = await race();
  await takenOver;
  const [stopped, ...others] = await Promise.all([race(), race(), race(), race()]);
  // they wait for the lock, because there is no token yet
  await Promise.all([stopped, ...others].map(({ until }) => until('"STARTED"')));
  expect(tokens()).toBe(1);
  expect(readdirSync(cache).filter((name) => name.endsWith('.lock'))).toHaveLength(1);
  stopped.process.kill('SIGTERM');
  await stopped.endsAs('SIGTERM', ['STARTED', expect.stringContaining('was stopped'), 'INCOMPLETE']);

  first.process.kill('SIGKILL');
  expect(await once(first.process, 'exit')).toStrictEqual([null, 'SIGKILL']);
  // the lock that it leaves is broken once it is stale
  for (const { ended } of others) expect(await ended()).toMatchObject({ code: 0, stderr: '' });
  expect(tokens()).toBe(2);
  // the request of the killed process counts, because it may have been answered
  const files = readdirSync(cache);
  expect(files).toStrictEqual([expect.stringMatching(/^tokens-\w+\.json$/)]);
  const kept: unknown = JSON.parse(readFileSync(join(cache, files[0] ?? ''), 'utf8'));
  expect(kept).toMatchObject({ issuances: { API: { times: [expect.any(Number), expect.any(Number)] } } });
});
