import type { StreamStatus } from '../../src/generated/protocol.generated.ts';

/** How far one stream has come in an output. */
export interface StreamProgress {
  readonly phase: 'started' | 'running' | 'ended';
  /** Rows since the last STATE of this stream, or since its start. */
  readonly rowsSinceState: number;
  readonly hasState: boolean;
}

/** A stream that nothing has been said about yet is `undefined`. */
type Before = StreamProgress | undefined;

/**
 * The progress after a status: STARTED once and first; then RUNNING, any number of times; then COMPLETE or INCOMPLETE,
 * once and last. COMPLETE needs RUNNING before it, and a STATE that covers every row. A stream may fail before it is
 * RUNNING.
 *
 * @throws Error that names the broken rule, as the other functions of this file do.
 */
export function afterStatus(before: Before, status: StreamStatus): StreamProgress {
  if (status === 'STARTED') {
    if (before !== undefined) throw new Error(`STARTED, but the stream has ${before.phase} already`);
    return { phase: 'started', rowsSinceState: 0, hasState: false };
  }
  const open = expectOpen(before, status);
  if (status === 'RUNNING') return { ...open, phase: 'running' };
  if (status === 'COMPLETE') {
    expectRunning(open, status);
    if (!open.hasState) throw new Error('COMPLETE, but the stream has no STATE');
    if (open.rowsSinceState > 0)
      throw new Error(`COMPLETE, but no STATE covers the last rows of the stream (${open.rowsSinceState})`);
  }
  return { ...open, phase: 'ended' };
}

/** The progress after one row: allowed only while the stream is RUNNING. */
export function afterRecord(before: Before): StreamProgress {
  const running = expectRunning(before, 'RECORD');
  return { ...running, rowsSinceState: running.rowsSinceState + 1 };
}

/** The progress after a STATE, whose `recordCount` is exactly the rows since the one before. */
export function afterState(before: Before, recordCount: number): StreamProgress {
  const running = expectRunning(before, 'STATE');
  if (recordCount !== running.rowsSinceState)
    throw new Error(
      `recordCount is ${recordCount}, but ${running.rowsSinceState} rows came since the last STATE`,
    );
  return { ...running, rowsSinceState: 0, hasState: true };
}

/** The progress after an ESTIMATE: unchanged, and allowed as soon as the stream has STARTED. */
export function afterEstimate(before: Before): StreamProgress {
  return expectOpen(before, 'ESTIMATE');
}

function expectOpen(progress: Before, what: string): StreamProgress {
  if (progress === undefined) throw new Error(`${what}, but the stream has not STARTED`);
  if (progress.phase === 'ended') throw new Error(`${what}, but the stream has ended`);
  return progress;
}

function expectRunning(progress: Before, what: string): StreamProgress {
  const open = expectOpen(progress, what);
  if (open.phase === 'started') throw new Error(`${what}, but the stream is not RUNNING yet`);
  return open;
}
