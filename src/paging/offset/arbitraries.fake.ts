import * as fc from 'fast-check';
import type { Change, MovingList, MovingListOptions, TotalMode } from './moving-list.fake.ts';
import { readMovingList } from './moving-list.fake.ts';
import type { OffsetBatch } from './read.ts';
import type { OffsetPosition } from './place.ts';

export const totals: TotalMode[] = [
  'right',
  'absent',
  'zero',
  'too small',
  'large',
  'length of the page',
  'what was shown',
];
const place = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true }));
export const insertAtHead: fc.Arbitrary<Change> = fc.constant({ kind: 'insert', at: 0, count: 1 });
const insertAnywhere: fc.Arbitrary<Change> = place.map((at) => ({ kind: 'insert', at, count: 1 }));
export const deletion: fc.Arbitrary<Change> = fc
  .tuple(
    place,
    fc.oneof(
      { weight: 4, arbitrary: fc.constant(1) },
      { weight: 1, arbitrary: fc.integer({ min: 2, max: 25 }) },
    ),
  )
  .map(([at, count]) => ({ kind: 'delete', at, count }));

export function optionsWith(change: fc.Arbitrary<Change>): fc.Arbitrary<MovingListOptions> {
  return fc.record({
    rows: fc.integer({ min: 0, max: 45 }),
    changes: fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 30, size: 'max' }),
    limit: fc.integer({ min: 2, max: 9 }),
    cap: fc.oneof(
      { weight: 3, arbitrary: fc.constant(1000) },
      { weight: 1, arbitrary: fc.integer({ min: 2, max: 9 }) },
    ),
    total: fc.constantFrom(...totals),
    shortBy: fc.oneof(fc.constant([]), fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 12 })),
    delays: fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 12 }),
    tieSize: fc.constant(1),
    pastEnd: fc.constant('empty page'),
    isEndless: fc.constant(false),
  });
}

export const concurrency = fc.integer({ min: 1, max: 16 });
export const anything = fc.oneof(insertAtHead, insertAnywhere, deletion);

export interface Outcome {
  readonly emitted: number[];
  readonly warnings: string[];
  readonly positions: { readonly position: OffsetPosition; readonly emittedBefore: number }[];
  readonly failed: boolean; // the read gave up, since the list is too restless, and said so
}

const NOTHING_FOUND = {
  rows: 0,
  expected: 0,
  maxTotal: null,
  isTotalSteady: false,
  passes: 0,
  limitedAt: null,
  refusedAt: null,
  hasClash: false,
  refusal: null,
  repeatedLines: 0,
  reordered: 0,
  cutsPages: false,
  hidden: 0,
  stop: null,
};

/** Reads a list from a position, or up to `maxBatches`. */
export async function read(
  list: MovingList,
  atOnce: number,
  from: OffsetPosition | null,
  maxBatches: number,
  onBatch: (pass: OffsetBatch<number>['pass']) => void,
): Promise<Outcome> {
  const [emitted, warnings, positions]: [number[], string[], Outcome['positions']] = [[], [], []];
  const batches = readMovingList(list, atOnce, from, async ({ kind }) => void warnings.push(kind));
  let next = await batches.next();
  for (let taken = 1; next.done !== true; taken++) {
    const { pass, rows, state } = next.value;
    onBatch(pass);
    emitted.push(...rows);
    if (state !== null) positions.push({ position: state(), emittedBefore: emitted.length });
    next = await (taken < maxBatches ? batches.next() : batches.return(NOTHING_FOUND));
  }
  const { rows, expected, stop } = next.value;
  const failed = stop?.cause === 'the list changes too fast';
  if (stop !== null && !failed && stop.cause !== 'nothing is shown beyond an offset')
    throw new Error(stop.cause);
  if (!failed && rows < expected) warnings.push(`${rows} of ${expected} rows`);
  return { emitted, warnings, positions, failed };
}

export const ignore = (): void => undefined;

/** A long list in which whole pages of rows are deleted and inserted between two requests. */
export const upheaval: fc.Arbitrary<MovingListOptions> = fc.record({
  rows: fc.integer({ min: 60, max: 260 }),
  changes: fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.constant([]) },
      {
        weight: 1,
        arbitrary: fc.array(changesOfPages(), { minLength: 1, maxLength: 2 }).map((some) => some.flat()),
      },
    ),
    { minLength: 1, maxLength: 40, size: 'max' },
  ),
  limit: fc.integer({ min: 8, max: 40 }),
  cap: fc.constant(1000),
  total: fc.constantFrom<TotalMode>('right', 'absent'),
  shortBy: fc.constant([]),
  delays: fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 12 }),
  tieSize: fc.constant(1),
  pastEnd: fc.constant('empty page'),
  isEndless: fc.constant(false),
});

function changesOfPages(): fc.Arbitrary<Change[]> {
  const many = fc.integer({ min: 10, max: 110 });
  const gone = fc.tuple(place, many).map(([at, count]): Change => ({ kind: 'delete', at, count }));
  const come = many.map((count): Change => ({ kind: 'insert', at: 0, count }));
  return fc.oneof(
    fc.tuple(gone, come),
    come.map((one) => [one]),
    gone.map((one) => [one]),
  );
}

export function missing(expected: readonly number[], emitted: readonly number[]): number[] {
  const got = new Set(emitted);
  return expected.filter((row) => !got.has(row));
}

export function repeated(emitted: readonly number[]): number[] {
  return emitted.filter((row, index) => emitted.indexOf(row) !== index);
}
