import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createConcurrencyLimit, type ConcurrencyLimit } from './request-limits.ts';
import { statusError } from './status-error.test-support.ts';

/** A new signal for each request: many listeners on one would cause a warning. */
const never = (): AbortSignal => new AbortController().signal;
const limited = statusError(429, {});

interface Sent {
  readonly id: number;
  readonly answer: () => void;
  readonly fail: (error: Error) => void;
}

interface Desk {
  /** Starts a request when there is room. */
  readonly ask: (signal: AbortSignal) => Promise<unknown>;
  readonly inFlight: readonly Sent[]; // requests in flight, in the order in which they were sent
  readonly sent: readonly number[]; // ids in the order in which they were sent
}

/** Requests that the test ends. */
function deskOf(limit: ConcurrencyLimit): Desk {
  const inFlight: Sent[] = [];
  const sent: number[] = [];
  let asked = 0;
  return {
    ask: (signal) => {
      const id = asked++;
      const request = (): Promise<number> =>
        new Promise((resolve, reject) => {
          const leave = (): void => {
            inFlight.splice(inFlight.indexOf(entry), 1);
          };
          const entry: Sent = {
            id,
            answer: () => {
              leave();
              resolve(id);
            },
            fail: (error) => {
              leave();
              reject(error);
            },
          };
          inFlight.push(entry);
          sent.push(id);
        });
      return limit(request, signal).catch((error: unknown) => error);
    },
    inFlight,
    sent,
  };
}

async function settle(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}

test('without a 429 as many requests are in flight as there may be connections', async () => {
  const { ask, inFlight } = deskOf(createConcurrencyLimit());
  for (let count = 0; count < 100; count++) void ask(never());
  await settle();
  expect(inFlight).toHaveLength(32);
  inFlight.slice().forEach(({ fail }) => fail(statusError(503, {})));
  await settle();
  expect(inFlight).toHaveLength(32);
});

test('a 429 halves the limit, once for all requests in flight together, down to one; then it grows again', async () => {
  const { ask, inFlight } = deskOf(createConcurrencyLimit());
  const widths: number[] = [];
  const ask8 = async (): Promise<void> => {
    for (let count = inFlight.length; count < 8; count++) void ask(never());
    await settle();
    widths.push(inFlight.length);
  };
  await ask8();
  for (let wave = 0; wave < 4; wave++) {
    inFlight.slice().forEach(({ fail }) => fail(limited));
    await settle();
    // waiting requests started as the others failed
    widths.push(inFlight.length);
    await ask8();
  }
  expect(widths).toMatchInlineSnapshot(`
    [
      8,
      0,
      4,
      2,
      2,
      1,
      1,
      1,
      1,
    ]
  `);

  const grown: number[] = [];
  for (let answers = 0; answers < 40; answers++) {
    for (let count = 0; count < 8; count++) void ask(never());
    await settle();
    grown.push(inFlight.length);
    inFlight[0]?.answer();
    await settle();
  }
  expect(grown).toMatchInlineSnapshot(`
    [
      1,
      2,
      2,
      3,
      3,
      3,
      4,
      4,
      4,
      4,
      5,
      5,
      5,
      5,
      5,
      6,
      6,
      6,
      6,
      6,
      6,
      7,
      7,
      7,
      7,
      7,
      7,
      7,
      8,
      8,
      8,
      8,
      8,
      8,
      8,
      8,
      9,
      9,
      9,
      9,
    ]
  `);
});

type Step = 'ask' | 'answer' | 'fail' | 'limit' | 'abort';

test('requests start in order, at most half as many are in flight after a 429, and all of them end', async () => {
  const steps = fc.array(
    fc.tuple(fc.constantFrom<Step>('ask', 'ask', 'ask', 'answer', 'fail', 'limit', 'abort'), fc.nat(7)),
    { maxLength: 60, size: 'max' },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const { ask, inFlight, sent } = deskOf(createConcurrencyLimit());
      const asked: { readonly controller: AbortController; readonly settled: Promise<unknown> }[] = [];
      /** The requests in flight at the latest 429, and the successes since then. */
      let limitedAt: { readonly width: number; readonly sentBefore: number; successes: number } | null = null;
      for (const [step, which] of list) {
        const target = inFlight[which % Math.max(1, inFlight.length)];
        if (step === 'ask') {
          const controller = new AbortController();
          asked.push({ controller, settled: ask(controller.signal) });
        } else if (step === 'abort') asked[which % Math.max(1, asked.length)]?.controller.abort();
        else if (target !== undefined) {
          const isCurrent = limitedAt === null || sent.indexOf(target.id) >= limitedAt.sentBefore;
          if (step === 'limit') {
            if (isCurrent) limitedAt = { width: inFlight.length, sentBefore: sent.length, successes: 0 };
            target.fail(limited);
          } else if (step === 'fail') target.fail(new Error('reset'));
          else {
            if (isCurrent && limitedAt !== null) limitedAt.successes++;
            target.answer();
          }
        }
        await settle();
        if (limitedAt !== null) {
          const { width, sentBefore, successes } = limitedAt;
          const later = inFlight.filter(({ id }) => sent.indexOf(id) >= sentBefore);
          expect(later.length).toBeLessThanOrEqual(Math.max(1, Math.floor(width / 2)) + successes);
        }
      }
      expect(sent).toStrictEqual(sent.toSorted((a, b) => a - b));
      while (inFlight.length > 0) {
        inFlight[0]?.answer();
        await settle();
      }
      await Promise.all(asked.map(({ settled }) => settled));
    }),
  );
});

test('an aborted wait rejects at once, sends nothing and takes no room', async () => {
  const limit = createConcurrencyLimit();
  const { ask, inFlight, sent } = deskOf(limit);
  void ask(never());
  await settle();
  inFlight[0]?.fail(limited);
  await settle();
  const controller = new AbortController();
  const reason = new Error('stopped');
  const settled = [ask(never()), ask(controller.signal), ask(never())];
  await settle();
  controller.abort(reason);
  expect(await settled[1]).toBe(reason);
  inFlight[0]?.answer();
  expect(await settled[0]).toBe(1);
  await settle();
  inFlight[0]?.answer();
  expect(await settled[2]).toBe(3);
  expect(sent).toStrictEqual([0, 1, 3]);
  await expect(limit(async () => 1, AbortSignal.abort(reason))).rejects.toBe(reason);
});
