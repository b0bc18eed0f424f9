import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Run } from '../../support/run-connector.ts';
import type { TestWorld } from '../../support/test-bed.ts';
import { shareClock } from './shifted-clock.ts';

/** Where tokens live on between processes: in a file, in the config that a platform hands on, or nowhere. */
export type Keeping = 'file' | 'config' | 'nowhere';

export interface Fleet {
  readonly processes: number;
  /** Processes that run side by side. */
  readonly atOnce: number;
  /** Seconds that pass between one batch and the next. */
  readonly everySeconds: number;
  readonly keeping: Keeping;
}

export interface FleetFigures {
  /** Tokens that the world issued, and requests that it refused because of its limits. */
  readonly issued: number;
  readonly refused: number;
  /** Processes whose `check` failed. */
  readonly failed: number;
  /** Configs announced. */
  readonly announced: number;
}

/** A folder that cannot be made, whoever runs the tests. */
const nowhere = '/dev/null/token-cache';

/** Runs `check` in one process after the other, as a platform does, each with what the one before has left. */
export async function runFleet(world: TestWorld, fleet: Fleet, token: object): Promise<FleetFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'token-fleet-'));
  const clock = shareClock(world, folder);
  const cache = fleet.keeping === 'file' ? join(folder, 'cache') : nowhere;
  const env = { ...clock.env, SOURCE_TRAILER_DATA_CACHE: cache };
  let config: object = { ...world.config, token };
  let [failed, announced] = [0, 0];
  for (let started = 0; started < fleet.processes; started += fleet.atOnce) {
    if (started > 0) await clock.advance(fleet.everySeconds);
    const batch = Array.from({ length: fleet.atOnce }, () => world.run('check', { config, env }));
    for (const run of await Promise.all(batch)) {
      const configs = announcedConfigs(run);
      announced += configs.length;
      if (fleet.keeping === 'config') config = configs.at(-1) ?? config;
      if (!succeeded(run)) failed++;
    }
  }
  const { tokens } = await world.requests();
  return { issued: tokens.issued, refused: tokens.refused, failed, announced };
}

/** The configs of a run's CONTROL messages, in order. */
export function announcedConfigs(run: Run): object[] {
  return run.messages.flatMap((message) =>
    message.type === 'CONTROL' ? [message.control.connectorConfig.config] : [],
  );
}

function succeeded(run: Run): boolean {
  return run.messages.some(
    (message) => message.type === 'CONNECTION_STATUS' && message.connectionStatus.status === 'SUCCEEDED',
  );
}
