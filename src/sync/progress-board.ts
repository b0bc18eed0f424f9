import type { Batch, SourceStream } from '../streams/stream.ts';
import type { Sample, StreamProgress } from './progress-line.ts';

/** How far the streams of a run have come. */
export interface ProgressBoard {
  /** The stream as it is; what it reads is counted, page by page, as it is handed out. */
  readonly watch: (stream: SourceStream) => SourceStream;
  /** The streams that have begun, in the order in which they were watched. */
  readonly streams: () => readonly StreamProgress[];
  /** From now on the streams that have not ended show as stopped, and nothing is counted any more. */
  readonly stop: () => void;
}

/** ms between two samples at least, and how many are kept: more than the rate looks back. */
const SAMPLE_MS = 500;
const SAMPLES = 30;

/** @param mostRows rows of each stream after which it is cut short, in the middle of a batch too; null to read to the end */
export function createProgressBoard(now: () => number, mostRows: number | null): ProgressBoard {
  const order: SourceStream['name'][] = [];
  const begun = new Map<SourceStream['name'], StreamProgress>();
  let isStopped = false;
  const change = (name: SourceStream['name'], changed: Partial<StreamProgress>): void => {
    const stream = begun.get(name);
    if (stream !== undefined && !isStopped) begun.set(name, { ...stream, ...changed });
  };

  return {
    watch: (stream) => {
      const { name } = stream;
      order.push(name);
      return {
        ...stream,
        read: async function* (context) {
          if (!isStopped) begun.set(name, newProgress(name, now()));
          // left early, by whoever reads, it is stopped
          let phase: StreamProgress['phase'] = 'stopped';
          try {
            const batches = stream.read({
              ...context,
              onWait: (waiting) => {
                change(name, { waitUntilMs: now() + waiting.waitMs });
                return context.onWait(waiting);
              },
            });
            for await (const batch of batches) {
              const before = begun.get(name);
              if (before !== undefined) change(name, withBatch(before, batch, mostRows ?? Infinity, now()));
              yield batch;
            }
            phase = 'done';
          } catch (error) {
            phase = context.signal.aborted ? 'stopped' : 'failed';
            throw error;
          } finally {
            change(name, { phase });
          }
        },
      };
    },
    streams: () =>
      order.flatMap((name) => {
        const stream = begun.get(name);
        return stream === undefined ? [] : [stream];
      }),
    stop: () => {
      for (const [name, { phase }] of begun) if (phase === 'reading') change(name, { phase: 'stopped' });
      isStopped = true;
    },
  };
}

function newProgress(name: SourceStream['name'], nowMs: number): StreamProgress {
  return {
    name,
    phase: 'reading',
    rows: 0,
    covered: 0,
    total: null,
    newest: null,
    samples: [{ ms: nowMs, rows: 0 }],
    waitUntilMs: null,
  };
}

type Counted = Pick<Batch, 'rows' | 'total' | 'covered' | 'newest'>;

function withBatch(before: StreamProgress, batch: Counted, mostRows: number, nowMs: number): StreamProgress {
  const rows = Math.min(before.rows + batch.rows.length, mostRows);
  return {
    ...before,
    rows,
    covered: batch.covered ?? before.covered + batch.rows.length,
    total: batch.total ?? before.total,
    newest: batch.newest ?? before.newest,
    samples: withSample(before.samples, { ms: nowMs, rows }),
    waitUntilMs: null,
  };
}

function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  if (sample.ms - (samples.at(-1)?.ms ?? -Infinity) < SAMPLE_MS) return samples;
  return [...samples, sample].slice(-SAMPLES);
}
