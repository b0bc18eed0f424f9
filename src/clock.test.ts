import { expect, test } from 'vitest';

import { createVirtualClock } from './token/virtual-clock.fake.ts';
import { createSleep, steadyNow } from './clock.ts';

async function silent(): Promise<void> {
  // nobody listens
}

test('several long waits at once tell once a minute that they go on', async () => {
  const clock = createVirtualClock(1_000_000);
  const told: string[] = [];
  const tell = async (message: string): Promise<void> => {
    told.push(`${(clock.now() - 1_000_000) / 1000} s: ${message}`);
  };
  const sleep = createSleep({ wait: clock.sleep, now: clock.now }, tell);
  const signals = [new AbortController().signal, new AbortController().signal];
  await clock.run(Promise.all(signals.map((signal) => sleep(150_000, signal))));
  expect(clock.now()).toBe(1_150_000);
  expect(told).toStrictEqual(['60 s: still waiting, 90 s left', '120 s: still waiting, 30 s left']);
});

test('a timer that comes a little early is no reason to wait on, or to say so', async () => {
  const told: string[] = [];
  const tell = async (message: string): Promise<void> => {
    told.push(message);
  };
  const waits: number[] = [];
  let nowMs = 1_000_000;
  const early = async (ms: number): Promise<void> => {
    waits.push(ms);
    nowMs += ms - 1;
  };
  const sleep = createSleep({ wait: early, now: () => nowMs }, tell);
  for (let turn = 0; turn < 3; turn++) await sleep(60_000, new AbortController().signal);
  expect(waits).toStrictEqual([60_000, 60_000, 60_000]);
  expect(told).toStrictEqual([]);
});

test('a clock that is set back meanwhile makes no wait longer', async () => {
  const waits: number[] = [];
  let nowMs = 10_000_000;
  const setBack = async (ms: number): Promise<void> => {
    waits.push(ms);
    nowMs -= 3_600_000;
  };
  const sleep = createSleep({ wait: setBack, now: () => nowMs }, silent);
  await sleep(150_000, new AbortController().signal);
  expect(waits).toStrictEqual([60_000, 60_000, 30_000]);
});

test('a wait ends at once when it is told to', async () => {
  const clock = createVirtualClock(0);
  const stop = new AbortController();
  const waiting = createSleep({ wait: clock.sleep, now: clock.now }, silent)(150_000, stop.signal);
  const over = expect(waiting).rejects.toThrow('enough');
  stop.abort(new Error('enough'));
  await over;
});

test('a clock that is set back leaves no long wait silent', async () => {
  let nowMs = 10_000_000;
  let told = 0;
  const setBack = async (): Promise<void> => {
    nowMs -= 3_600_000;
  };
  const tell = async (): Promise<void> => {
    told++;
  };
  await createSleep({ wait: setBack, now: () => nowMs }, tell)(240_000, new AbortController().signal);
  expect(told).toBe(3);
});

test('steady time goes on from what the clock showed first, in whole ms, though the clock is set', () => {
  let [local, ticks] = [1_000_000, 7.25];
  const now = steadyNow({ now: () => local, ticks: () => ticks });
  local -= 3_600_000;
  ticks += 1500.5;
  expect(now()).toBe(1_001_500);
});
