import { expect, test } from 'vitest';
import { fastTimers } from '../../support/fast-time.ts';
import { outline, readOutput, startAs, useRowApi } from './process-rig.ts';

test('while ten minutes are waited out the last state is written again, unchanged, after five of silence', async () => {
  const api = await useRowApi(5000, 10, {
    assets: (before, response) => {
      if (before < 2) return false;
      response.writeHead(429, { 'retry-after': '600' }).end();
      return true;
    },
  });
  const config = { ...api.config, concurrency: 1 };
  // two pages are read, with a state each, and then the last state comes again and again; timers run a hundred times as
  // fast, the wait for the rate limit as slow as it is: silence lasts three seconds
  const choice = { env: fastTimers(100), more: ['--state-every', '0'] };
  const reader = readOutput(await startAs('read', { config }, choice));
  await reader.until('"RATE_LIMITED"');
  await reader.untilTimes('"type":"STATE"', 5);
  reader.process.kill('SIGTERM');
  const { signal, stderr, messages } = await reader.ended();
  expect([signal, stderr]).toStrictEqual(['SIGTERM', '']);
  const states = messages.flatMap((message) => (message.type === 'STATE' ? [message.state] : []));
  const [told, ...repeated] = states.slice(-3);
  for (const state of repeated) expect(state).toStrictEqual({ ...told, sourceStats: { recordCount: 0 } });
  expect(new Set(outline(messages))).toContain('RUNNING');
  expect(outline(messages).at(-1)).toBe('INCOMPLETE');
});
