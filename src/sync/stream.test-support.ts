import { PassThrough } from 'node:stream';
import { systemClock } from '../clock.ts';
import type { AirbyteMessage } from '../generated/protocol.generated.ts';
import { createRedactor } from '../protocol/redactor.ts';
import { createWriter } from '../protocol/writer.ts';
import { rowOf } from '../rows/row.test-support.ts';
import type { Row } from '../rows/row.ts';
import type { ReadContext, SourceStream } from '../streams/stream.ts';
import type { RunContext } from './read-stream.ts';

export const MINUTE_MS = 60_000;

/** A stream of which only the batches of a read matter. */
export function streamOf(read: SourceStream['read']): SourceStream {
  return {
    name: 'assets',
    catalogEntry: {
      name: 'assets',
      json_schema: { type: 'object', properties: {} },
      supported_sync_modes: [],
    },
    assumedFields: [],
    probe: async () => 'ok',
    sample: async function* () {},
    read,
  };
}

/** All of it, where the catalog declares nothing. */
export const FULL = { stream: 'assets', syncMode: 'full_refresh', declared: null } as const;

export interface Watched {
  readonly events: string[]; // what has been written, a word each: STATE with its content and count, or the status
  readonly run: RunContext;
  readonly stop: (reason: Error) => void;
}

export function watch(): Watched {
  const events: string[] = [];
  const stdout = new PassThrough();
  stdout.on('data', (lines: Buffer) => {
    for (const line of lines.toString().split('\n').slice(0, -1)) events.push(wordOf(line));
  });
  const redactor = createRedactor();
  const writer = createWriter(stdout, redactor);
  const controller = new AbortController();
  const run: RunContext = {
    writer,
    redactor,
    clock: systemClock,
    signal: controller.signal,
    stateEveryMs: 5000,
    limitRows: null,
    progress: [],
  };
  return { events, run, stop: (reason) => controller.abort(reason) };
}

export function wordOf(line: string): string {
  const message = JSON.parse(line) as AirbyteMessage;
  const at = `${Math.round(Date.now() / 1000)} s `;
  if (message.type === 'RECORD') return `${at}RECORD`;
  if (message.type === 'LOG') return `${at}${message.log.level}`;
  if (message.type === 'STATE') {
    const { stream, sourceStats } = message.state;
    return `${at}STATE ${JSON.stringify(stream.stream_state)} of ${sourceStats.recordCount}`;
  }
  if (message.type !== 'TRACE') return message.type;
  const { trace } = message;
  if (trace.type === 'ERROR') return `${at}${trace.error.failure_type} ${trace.error.message}`;
  if (trace.type !== 'STREAM_STATUS') return `${at}${trace.type}`;
  const { status, reasons } = trace.stream_status;
  const limits = (reasons ?? []).map(
    ({ type, rate_limited }) => ` ${type} until ${Number(rate_limited?.quota_reset) / 1000} s`,
  );
  return `${at}${status}${limits.join('')}`;
}

export function rows(count: number): Row[] {
  return Array.from({ length: count }, () => rowOf({ a: 1 }));
}

export async function sleep(ms: number): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

export function limited(waitMs: number): Parameters<ReadContext['onWait']>[0] {
  return { reason: 'status 429', isRateLimited: true, waitMs };
}
