import { describe, expect, test } from 'vitest';
import { isConnectorError } from '../errors.ts';
import type { NextStep } from '../http/request.ts';
import { createPatience } from '../http/patience.ts';
import { BRIEF_ANSWER_MS, INTERACTIVE_BUDGET, LASTING_ANSWER_MS, READ_BUDGET, TOKEN } from '../limits.ts';
import type { RetryBudget } from '../limits.ts';
import { BadPageError } from '../rows/page.ts';
import { newOutage } from './outage.ts';
import { withRetry } from './retry.ts';
import { statusError } from './status-error.test-support.ts';

const ODD = new BadPageError('an odd answer');
const DOWN = statusError(503, {});

/** Requests a page that has arrived once before, from a service that takes `latencyMs` for what `answer` returns at a time. */
async function getFrom(
  next: NextStep,
  latencyMs: number,
  budget: RetryBudget,
  answer: (nowMs: number) => unknown,
) {
  let nowMs = 0;
  let attempts = 0;
  let waitedMs = 0;
  const patience = createPatience(budget);
  patience.succeeded();
  const pass = async (ms: number): Promise<void> => {
    nowMs += ms;
  };
  const sleep = async (ms: number): Promise<void> => {
    waitedMs += ms;
    await pass(ms);
  };
  const deps = {
    patience,
    outage: newOutage(),
    now: () => nowMs,
    random: () => 0.5,
    count: () => undefined,
    sleep,
  };
  const attempt = async (onSend: (atMs: number) => void): Promise<string> => {
    onSend(nowMs);
    attempts++;
    await pass(latencyMs);
    const found = answer(nowMs);
    if (found instanceof Error) throw found;
    return 'page';
  };
  const judge = async (error: unknown): Promise<NextStep> => (error === ODD ? next : 'retry');
  const context = { signal: new AbortController().signal, onWait: async () => undefined };
  const result: unknown = await withRetry(
    attempt,
    judge,
    { stream: 'assets', place: 'assets' },
    deps,
    context,
  ).catch((error: unknown) => error);
  return { result, attempts, waitedMs };
}

describe.each<[next: NextStep, lastingMs: number]>([
  ['confirm', BRIEF_ANSWER_MS],
  ['settle', TOKEN.settleMs],
  ['last', LASTING_ANSWER_MS],
])('an answer that calls for %s', (next, lastingMs) => {
  test.each([0, 1000, 15_000])(
    'is final once it has been waited out, with a latency of %d ms',
    async (latencyMs) => {
      const { result, attempts, waitedMs } = await getFrom(next, latencyMs, READ_BUDGET, () => ODD);
      expect(result).toBe(ODD);
      expect(waitedMs).toBe(lastingMs);
      expect(attempts).toBeGreaterThan(2);
    },
  );

  test('is not final for a slow service that sends it twice', async () => {
    const odd = [ODD, ODD];
    expect((await getFrom(next, 25_000, READ_BUDGET, () => odd.pop())).result).toBe('page');
  });

  test('is not final at the end of an outage', async () => {
    const odd = [ODD];
    const answer = (nowMs: number): unknown => (nowMs < 60_000 ? DOWN : odd.pop());
    expect((await getFrom(next, 100, READ_BUDGET, answer)).result).toBe('page');
  });

  test('does not shorten an outage that follows, nor is it confirmed by that', async () => {
    const odd = [ODD, ODD];
    const answer = (nowMs: number): unknown => (nowMs === 0 || nowMs >= 60_000 ? odd.pop() : DOWN);
    expect((await getFrom(next, 0, READ_BUDGET, answer)).result).toBe('page');
  });

  test('is told with an outage if it comes when patience is over', async () => {
    const { result } = await getFrom(next, 0, READ_BUDGET, (nowMs) =>
      nowMs < READ_BUDGET.failureMs ? DOWN : ODD,
    );
    expect(isConnectorError(result, 'API_UNAVAILABLE')).toBe(true);
    expect(String(result)).toContain(ODD.message);
  });

  test('is final if patience is over after it has lasted', async () => {
    expect((await getFrom(next, 8000, INTERACTIVE_BUDGET, () => ODD)).result).toBe(ODD);
  });
});
