import { expect } from 'vitest';
import { isConnectorError } from '../errors.ts';
import type { StreamState } from '../protocol/messages.ts';
import { LOOKBACK_SECONDS } from './alarm-server.arbitraries.fake.ts';
import { idOf, type AlarmServer } from './alarm-server.fake.ts';
import { listOf, readCursorStream, type CursorConfig } from './cursor-stream.ts';
import type { ReadContext } from './stream.ts';

export const CONFIG: CursorConfig = {
  created_field: 'createdDate',
  lookback_seconds: LOOKBACK_SECONDS,
  parallel_chains: 1,
};

/** One read in a separate process. */
export interface Run {
  readonly killedAfter: number | undefined; // batches after which the process is killed; undefined to let it finish
  readonly states: readonly boolean[]; // for each batch whether its state was written
}

export const WHOLE: Run = { killedAfter: undefined, states: [true] };

export interface Result {
  readonly rows: number[];
  readonly state: StreamState | null; // the last state that was written, or the initial one
  readonly rowsBeforeState: number; // rows written before that state
  readonly complete: boolean;
}

const silent = async (): Promise<void> => undefined;

/** Reads once from a state, serialized as by a platform. */
export async function readOnce(
  api: AlarmServer,
  state: StreamState | null,
  run: Run,
  config: CursorConfig,
): Promise<Result> {
  const context: ReadContext = {
    syncMode: 'incremental',
    state: state === null ? null : (JSON.parse(JSON.stringify(state)) as StreamState),
    limitRows: null,
    signal: new AbortController().signal,
    now: () => Number(api.now() / 1_000_000n),
    sleep: async () => undefined,
    info: silent,
    warn: silent,
    onWait: silent,
  };
  const list = listOf({ name: 'alarms', place: 'alarms' }, config, context, api.fetchPage);
  const rows: number[] = [];
  let latest = { state, rowsBeforeState: 0 };
  let pending: { state: StreamState; rowsBeforeState: number } | null = null;
  const told: { readonly state: () => StreamState; readonly atOnce: string }[] = [];
  let batches = 0;
  try {
    for await (const batch of readCursorStream({ name: 'alarms', place: 'alarms' }, config, context, list)) {
      rows.push(...batch.rows.map(idOf));
      if (batch.state !== null) {
        pending = { state: batch.state(), rowsBeforeState: rows.length };
        told.push({ state: batch.state, atOnce: JSON.stringify(pending.state) });
      }
      if (pending !== null && run.states[batches % run.states.length] === true) latest = pending;
      batches++;
      if (batches === run.killedAfter) return { rows, ...latest, complete: false };
    }
  } catch (error) {
    // a chain that cannot be followed fails the read, which is then not complete
    if (!isConnectorError(error, 'REQUEST_REFUSED') && !isConnectorError(error, 'CURSOR_LOOP')) throw error;
    return { rows, ...latest, complete: false };
  } finally {
    // a state is the same whenever it is written
    for (const { state: late, atOnce } of told) expect(JSON.stringify(late())).toBe(atOnce);
  }
  return { rows, ...(pending ?? latest), complete: true };
}
