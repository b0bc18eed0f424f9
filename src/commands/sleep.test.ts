import { expect, test } from 'vitest';

import { createVirtualClock } from '../token/virtual-clock.fake.ts';
import { createSleep } from './sleep.ts';

async function silent(): Promise<void> {
  // nobody listens
}

test('several long waits at once tell once a minute that they go on', async () => {
  const clock = createVirtualClock(1_000_000);
  const told: string[] = [];
  const tell = async (message: string): Promise<void> => {
    told.push(`${(clock.now() - 1_000_000) / 1000} s: ${message}`);
  };
  const sleep = createSleep(clock.sleep, { info: tell, warn: tell }, clock.now);
  const signals = [new AbortController().signal, new AbortController().signal];
  await clock.run(Promise.all(signals.map((signal) => sleep(150_000, signal))));
  expect(clock.now()).toBe(1_150_000);
  expect(told).toStrictEqual(['60 s: still waiting, 90 s to go', '120 s: still waiting, 30 s to go']);
});

test('a wait ends at once when it is told to', async () => {
  const clock = createVirtualClock(0);
  const stop = new AbortController();
  const waiting = createSleep(clock.sleep, { info: silent, warn: silent }, clock.now)(150_000, stop.signal);
  const over = expect(waiting).rejects.toThrow('enough');
  stop.abort(new Error('enough'));
  await over;
});
