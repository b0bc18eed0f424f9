import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { outline, start, useFolder, useRowApi } from './process-rig.ts';

/** What stands in the one file of a folder of kept tokens. */
function keptIn(folder: string): { issuances: Record<string, { times: number[] }> } {
  const files = readdirSync(folder);
  expect(files).toStrictEqual([expect.stringMatching(/^tokens-\w+\.json$/)]);
  return JSON.parse(readFileSync(join(folder, files[0] ?? ''), 'utf8')) as ReturnType<typeof keptIn>;
}

test('of processes that race for a token one asks; it is killed holding the lock, and one other asks', async () => {
  // the first request is never answered
  const api = await useRowApi(10, 10, { token: (before) => before === 0 });
  const folder = await useFolder();
  const cache = join(folder, 'cache');
  const race = (): ReturnType<typeof start> =>
    start('read', { config: api.config }, { SOURCE_TRAILER_DATA_CACHE: cache });

  const first = await race();
  await api.takenOver;
  const readers = await Promise.all([race(), race(), race()]);
  // they wait for the lock: nobody has been given a token yet
  await Promise.all(readers.map((reader) => reader.until('"STARTED"')));
  expect(api.tokens()).toBe(1);
  expect(readdirSync(cache).filter((name) => name.endsWith('.lock'))).toHaveLength(1);

  const killed = once(first.process, 'exit');
  first.process.kill('SIGKILL');
  expect(await killed).toStrictEqual([null, 'SIGKILL']);
  for (const ended of await Promise.all(readers.map((reader) => reader.ended()))) {
    expect([ended.code, ended.stderr]).toStrictEqual([0, '']);
    expect(outline(ended.messages).at(-1)).toBe('COMPLETE');
  }
  expect(api.tokens()).toBe(2);
  // the request of the one that was killed counts, since it may have been answered
  expect(keptIn(cache).issuances['API']?.times).toHaveLength(2);
});

test('a process that waits for the lock ends by a signal at once', async () => {
  const api = await useRowApi(10, 10, { token: () => true });
  const cache = join(await useFolder(), 'cache');
  const env = { SOURCE_TRAILER_DATA_CACHE: cache };
  await start('read', { config: api.config }, env);
  await api.takenOver;
  const reader = await start('read', { config: api.config }, env);
  await reader.until('"STARTED"');
  await vi.waitUntil(() => readdirSync(cache).some((name) => name.endsWith('.lock')));
  reader.process.kill('SIGTERM');
  const { signal, stderr, messages } = await reader.ended();
  expect([signal, stderr, outline(messages).at(-1)]).toStrictEqual(['SIGTERM', '', 'INCOMPLETE']);
  expect(api.tokens()).toBe(1);
});
