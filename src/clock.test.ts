import { expect, test } from 'vitest';
import { createVirtualClock } from './token/virtual-clock.fake.ts';
import { createSleep, duration, steadyNow, wholeSecond } from './clock.ts';

async function silent(): Promise<void> {
  // ignored
}

test('overlapping long waits are reported once a minute', async () => {
  const clock = createVirtualClock(1_000_000);
  const reports: string[] = [];
  const report = async (message: string): Promise<void> => {
    reports.push(`${(clock.now() - 1_000_000) / 1000} s: ${message}`);
  };
  const sleep = createSleep({ wait: clock.sleep, now: clock.now }, report);
  const signals = [new AbortController().signal, new AbortController().signal];
  await clock.run(Promise.all(signals.map((signal) => sleep(150_000, signal))));
  expect(clock.now()).toBe(1_150_000);
  expect(reports).toStrictEqual(['60 s: still waiting, 90 s left', '120 s: still waiting, 30 s left']);
});

test('a timer that fires slightly early does not extend a wait', async () => {
  const reports: string[] = [];
  const report = async (message: string): Promise<void> => {
    reports.push(message);
  };
  const waits: number[] = [];
  let nowMs = 1_000_000;
  const early = async (ms: number): Promise<void> => {
    waits.push(ms);
    nowMs += ms - 1;
  };
  const sleep = createSleep({ wait: early, now: () => nowMs }, report);
  for (let turn = 0; turn < 3; turn++) await sleep(60_000, new AbortController().signal);
  expect(waits).toStrictEqual([60_000, 60_000, 60_000]);
  expect(reports).toStrictEqual([]);
});

test('a wait is not extended if the clock is set back', async () => {
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

test('an abort ends a wait at once', async () => {
  const clock = createVirtualClock(0);
  const stop = new AbortController();
  const waiting = createSleep({ wait: clock.sleep, now: clock.now }, silent)(150_000, stop.signal);
  const over = expect(waiting).rejects.toThrow('enough');
  stop.abort(new Error('enough'));
  await over;
});

test('a long wait is reported even if the clock is set back', async () => {
  let nowMs = 10_000_000;
  let reports = 0;
  const setBack = async (): Promise<void> => {
    nowMs -= 3_600_000;
  };
  const report = async (): Promise<void> => {
    reports++;
  };
  await createSleep({ wait: setBack, now: () => nowMs }, report)(240_000, new AbortController().signal);
  expect(reports).toBe(3);
});

test('steady time continues from the first local time in whole ms, even if the clock is set', () => {
  let [local, ticks] = [1_000_000, 7.25];
  const now = steadyNow({ now: () => local, ticks: () => ticks });
  local -= 3_600_000;
  ticks += 1500.5;
  expect(now()).toBe(1_001_500);
});

test.each([
  [-1, '0 s'],
  [0, '0 s'],
  [1, '0.1 s'],
  [330, '0.4 s'],
  [901, '1 s'],
  [44_001, '45 s'],
  [120_000, '120 s'],
  [120_001, '3 min'],
  [3_540_000, '59 min'],
  [3_540_001, '1 h'],
  [86_400_001, '24 h 1 min'],
])('%i ms are %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test.each([
  [0, '1970-01-01T00:00:00Z'],
  [1, '1970-01-01T00:00:01Z'],
  [999.5, '1970-01-01T00:00:01Z'],
  [1001, '1970-01-01T00:00:02Z'],
])('a wait until the time named for %d ms is long enough', (ms, text) => {
  expect(wholeSecond(ms)).toBe(text);
});
