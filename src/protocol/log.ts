import { logMessage } from './messages.ts';
import type { Writer } from './writer.ts';

/** The connector's log: LOG messages on stdout, in order with everything else. */
export interface Log {
  readonly info: (message: string) => Promise<void>;
  readonly warn: (message: string) => Promise<void>;
}

export function createLog(writer: Writer): Log {
  return {
    info: (message) => writer.send(logMessage('INFO', message)),
    warn: (message) => writer.send(logMessage('WARN', message)),
  };
}
