import { advance, note, openLane, splitOff, takeHalf } from './chain-lane.ts';
import type { Lane } from './chain-lane.ts';
import { readCursorList } from './cursor-read.ts';
import type { CursorBatch, CursorPosition, CursorRead, OpenRange } from './cursor-read.ts';
import { OrderBrokenError, checkSeams, relevant, restored, resultOf } from './finished-range.ts';
import type { Finished } from './finished-range.ts';
import { earlierOf, floorToFormat, laterOf } from './instant.ts';
import type { Instant } from './instant.ts';
import { MARGIN, MOST_SEEN } from './watermark.ts';
import type { Watermark, WatermarkFacts } from './watermark.ts';

const NO_FACTS: WatermarkFacts = {
  repeats: 0,
  unreadable: 0,
  ascending: true,
  proven: true,
  ordered: true,
  overflow: false,
  newest: undefined,
  first: [],
  beyond: undefined,
};

/**
 * Reads a cursor list as several chains side by side, each over a range of time; an idle chain takes half of the largest
 * range that is left. Emission interleaves. The same rows are yielded as by `readCursorList`, and the position holds every
 * range that is open, so that a resume keeps what is done.
 *
 * It rests on ascending order (API document 4.2.7 calls that an assumption). The moment a row is out of order, has no
 * readable time, or two neighbouring ranges do not agree on the row where they meet, it says so and reads the list again
 * as one chain from where the read began: rows may then repeat, none is lost.
 */
export async function* readInParallel<R>(
  read: CursorRead<R>,
  chains: number,
): AsyncGenerator<CursorBatch<R>> {
  try {
    let last: CursorBatch<R> | null = null;
    for await (const batch of readRanges(read, chains)) {
      last = batch;
      yield batch;
    }
    // ranges that were done before know nothing of rows that appeared since: one more chain, from the watermark
    if (read.from.ranges !== null && last !== null) yield* readRest(read, last);
  } catch (error) {
    if (!(error instanceof OrderBrokenError)) throw error;
    await read.warn(
      `${error.message}; going on with one chain from where the read began, so rows may repeat`,
    );
    const { origin } = read.from.ranges ?? { origin: read.from.watermark };
    yield* readCursorList({ ...read, from: { ...read.from, watermark: origin, chain: null, ranges: null } });
  }
}

async function* readRest<R>(read: CursorRead<R>, last: CursorBatch<R>): AsyncGenerator<CursorBatch<R>> {
  const facts = last.facts();
  for await (const batch of readCursorList({ ...read, from: last.position(), started: null }))
    yield { ...batch, facts: () => add(batch.facts(), facts) };
}

async function* readRanges<R>(read: CursorRead<R>, chains: number): AsyncGenerator<CursorBatch<R>> {
  const saved = read.from.ranges;
  const origin = saved?.origin ?? read.from.watermark;
  const waiting: OpenRange[] = [
    ...(saved?.open ?? [{ watermark: read.from.watermark, until: undefined, chain: read.from.chain }]),
  ];
  const lanes = new Set<Lane<R>>();
  const finished: Finished[] = saved === null ? [] : [restored(saved.newest, read.from.watermark.seen)];
  let started = saved?.started ?? null;
  let format = read.from.format;
  // a single range without an end may stem from a read whose order had not shown
  let isWhole = waiting.length === 1 && waiting[0]?.until === undefined;
  let totals: WatermarkFacts = NO_FACTS;

  const open = (range: OpenRange): void => {
    // what earlier reads emitted may lie in any range
    const watermark = { ...range.watermark, seen: [...new Set([...origin.seen, ...range.watermark.seen])] };
    lanes.add(openLane({ ...read, started }, range, { watermark, format, chain: range.chain, ranges: null }));
  };
  const limit = (): Instant => (started ?? 0n) - read.lookback;
  /** Up to where rows can be expected. */
  const horizon = (): Instant => earlierOf(limit(), read.end());
  const fill = (): void => {
    while (lanes.size < chains) {
      const range = waiting.shift() ?? (isWhole ? null : takeHalf([...lanes], horizon()));
      if (range === null) return;
      open(range);
    }
  };
  const fromOrigin = new Set(origin.seen);
  const withoutOrigin = (watermark: Watermark): Watermark => ({
    ...watermark,
    seen: watermark.seen.filter((print) => !fromOrigin.has(print)),
  });
  const newest = (): Instant | undefined =>
    [...finished.map((one) => one.newest), ...[...lanes].map((lane) => lane.latest?.facts().newest)].reduce(
      laterOf,
      undefined,
    );

  const position = (): CursorPosition => {
    const ranges = [
      ...waiting,
      ...[...lanes].map((lane) => ({
        watermark: withoutOrigin(lane.saved.watermark),
        until: lane.until,
        chain: lane.saved.chain,
      })),
    ];
    const inOrder = ranges.toSorted(byTime);
    const [first] = inOrder;
    if (first === undefined || started === null) return { ...read.from, ranges: null };
    const top = newest();
    const seen = [...new Set(relevant(finished, top, limit()).flatMap((one) => one.seen))];
    // a state must stay small: beyond its share each part forgets its oldest rows, which may then repeat
    const share = Math.floor(MOST_SEEN / (inOrder.length + 1));
    return {
      watermark: { ...first.watermark, seen: seen.slice(-share) },
      format,
      chain: null,
      ranges: {
        open: inOrder.map((range) => ({ ...range, watermark: newestOf(range.watermark, share) })),
        origin: newestOf(origin, MOST_SEEN / 4),
        started,
        newest: top,
      },
    };
  };

  fill();
  try {
    while (lanes.size > 0) {
      const { lane, result } = await Promise.race([...lanes].map(({ next }) => next));
      if (result.done === true) {
        lanes.delete(lane);
        finished.push(resultOf(lane));
        totals = add(totals, lane.latest?.facts());
        fill();
        continue;
      }
      const batch = result.value;
      const { ascending, unreadable } = batch.facts();
      if (!ascending || unreadable > 0)
        throw new OrderBrokenError(`the list does not come in ascending order of created times`);
      ({ started } = batch);
      note(lane, batch);
      ({ format } = lane.saved);

      if (isWhole && !batch.isLast && batch.facts().proven) {
        waiting.push(...splitOff(lane, horizon(), chains));
        isWhole = false;
      }
      yield { ...batch, isLast: false, position };
      advance(lane);
      fill();
    }
    checkSeams(finished, limit());
    yield { rows: [], position: finalPosition, facts: () => totals, started: started ?? 0n, isLast: true };
  } finally {
    // a chain ends its requests when it is told to
    await Promise.allSettled([...lanes].map(({ batches }) => batches.return(undefined)));
  }

  function finalPosition(): CursorPosition {
    const top = newest();
    const reached = top === undefined ? undefined : floorToFormat(earlierOf(top, limit()), format);
    const since = laterOf(origin.since, reached);
    const seen = new Set(relevant(finished, top, limit()).flatMap((one) => one.seen));
    if (since === origin.since) for (const print of origin.seen) seen.add(print);
    const watermark = { since, seenSince: since === undefined ? undefined : since - MARGIN, seen: [...seen] };
    return { watermark, format, chain: null, ranges: null };
  }
}

function add(a: WatermarkFacts, b: WatermarkFacts | undefined): WatermarkFacts {
  return b === undefined ? a : { ...a, repeats: a.repeats + b.repeats, overflow: a.overflow || b.overflow };
}

function byTime(a: OpenRange, b: OpenRange): number {
  const [x, y] = [a.watermark.since, b.watermark.since];
  if (x === undefined || y === undefined) return x === y ? 0 : x === undefined ? -1 : 1;
  return x < y ? -1 : x > y ? 1 : 0;
}

function newestOf(watermark: Watermark, most: number): Watermark {
  return { ...watermark, seen: watermark.seen.slice(-most) };
}
