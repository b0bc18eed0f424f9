import { expect, test } from 'vitest';
import { startAsFirstProcess, whyNoFirstProcess } from './first-process.ts';
import { outline, readOutput, useRowApi } from './process-rig.ts';

const reason = whyNoFirstProcess();
if (reason !== null) console.log(`No test as PID 1: ${reason}`);

test.skipIf(reason !== null).each<[NodeJS.Signals, code: number]>([
  ['SIGTERM', 143],
  ['SIGINT', 130],
])('as PID 1, %s ends a read with exit code %i', async (signal, code) => {
  const api = await useRowApi(5000, 100, { assets: (before) => before > 2 });
  const started = await startAsFirstProcess({ config: api.config });
  const reader = readOutput(started);
  await api.takenOver;
  await reader.until('"RECORD"');
  await started.kill(signal);
  const ended = await reader.ended();
  expect([ended.code, ended.signal, ended.stderr]).toStrictEqual([code, null, '']);
  expect(outline(ended.messages)).toStrictEqual([
    'STARTED',
    'RUNNING',
    `transient_error: the connector was told to stop (${signal}) before the end; start it again.`,
    'STATE',
    'INCOMPLETE',
  ]);
});

test.skipIf(reason !== null)('as PID 1, a second signal ends it though nobody reads', async () => {
  const api = await useRowApi(5000, 10_000, {});
  const started = await startAsFirstProcess({ config: api.config });
  const reader = readOutput(started);
  await reader.until('"RECORD"');
  reader.pause();
  await started.kill('SIGTERM');
  const ended = new Promise((resolve) => {
    started.process.once('exit', (code) => resolve(code));
  });
  // nothing shows when the first one has been taken in, so the second one is sent until the process ends
  const again = setInterval(() => void started.kill('SIGTERM'), 100);
  expect(await ended).toBe(143);
  clearInterval(again);
});

test.skipIf(reason !== null)('as PID 1, a read that is complete ends with 0', async () => {
  const api = await useRowApi(10, 10, {});
  const ended = await readOutput(await startAsFirstProcess({ config: api.config })).ended();
  expect([ended.code, ended.stderr, outline(ended.messages)]).toStrictEqual([
    0,
    '',
    ['STARTED', 'RUNNING', 'STATE', 'COMPLETE'],
  ]);
});
