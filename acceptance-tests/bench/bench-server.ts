import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { ListName } from './server/api.ts';

/** What the server did since it was asked the last time. */
export interface ServerFigures {
  readonly requests: number;
  readonly bytes: number;
  /** The share of the time in which it was not waiting: well below 1, it was not what held the client up. */
  readonly busy: number;
  readonly cpuMs: number;
}

/** A list of the server. */
export interface ListPlace {
  readonly rows: number;
  /** ms before each answer. */
  readonly latencyMs: number;
  /** Rows of a page at most; a longer one that is asked for is cut. */
  readonly pageSize: number;
  /** True for rows that were all created within some hours, long before now; alarms only. */
  readonly isOld?: boolean;
}

/** The benchmark's server, in a process of its own. */
export interface BenchServer {
  readonly origin: string;
  /** Renders the rows beforehand. */
  readonly prepare: (rows: Readonly<Record<ListName, number>>) => Promise<void>;
  readonly figures: () => Promise<ServerFigures>;
  /** What stands before `/v1/…`. */
  readonly baseUrl: (place: ListPlace) => string;
  readonly stop: () => Promise<void>;
}

/** Starts the server on a free port of the loopback interface. */
export async function startBenchServer(): Promise<BenchServer> {
  const child = fork(join(import.meta.dirname, 'server/main.ts'), [], { execArgv: ['--import', 'tsx'] });
  const [{ origin }] = (await once(child, 'message')) as [{ origin: string }];
  const order = async (what: object): Promise<ServerFigures> => {
    child.send(what);
    const [figures] = (await once(child, 'message')) as [ServerFigures];
    return figures;
  };
  return {
    origin,
    prepare: async (rows) => {
      await order({ what: 'prepare', ...rows });
    },
    figures: () => order({ what: 'figures' }),
    baseUrl: ({ rows, latencyMs, pageSize, isOld }) =>
      `${origin}/rows/${rows}/late/${latencyMs}/most/${pageSize}${isOld === true ? '/old' : ''}`,
    stop: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
