import { join } from 'node:path';
import { temporaryDirectory } from '../../../src/config/temporary-file.test-support.ts';
import type { Run } from '../../support/run-connector.ts';
import { verdict } from '../../support/run-views.ts';
import type { TestWorld } from '../../support/test-bed.ts';
import { shiftedClock } from './shifted-clock.ts';

/** Processes that run `check` with one credential. */
export interface Fleet {
  readonly processes: number;
  /** Processes that run side by side. */
  readonly atOnce: number;
  /** Seconds that pass between one batch and the next. */
  readonly everySeconds: number;
  /** Where tokens live on between processes: in a file, in the config that a platform hands on, or nowhere. */
  readonly keeping: 'file' | 'config' | 'nowhere';
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

/** Runs one process after the other, as a platform does, each with what the one before has left. */
export async function runFleet(world: TestWorld, fleet: Fleet, token: object): Promise<FleetFigures> {
  const clock = shiftedClock();
  // the second is a folder that cannot be made, whoever runs the tests
  const cache = fleet.keeping === 'file' ? join(temporaryDirectory(), 'cache') : '/dev/null/token-cache';
  const env = { ...clock.env, SOURCE_TRAILER_DATA_CACHE: cache };
  let config: object = { ...world.config, token };
  let [failed, announced] = [0, 0];
  for (let started = 0; started < fleet.processes; started += fleet.atOnce) {
    if (started > 0) {
      clock.advance(fleet.everySeconds);
      await world.advanceClock(fleet.everySeconds);
    }
    const batch = Array.from({ length: fleet.atOnce }, () => world.run('check', { config, env }));
    for (const run of await Promise.all(batch)) {
      const configs = announcedConfigs(run);
      announced += configs.length;
      if (fleet.keeping === 'config') config = configs.at(-1) ?? config;
      if (verdict(run).status !== 'SUCCEEDED') failed++;
    }
  }
  const { tokens } = await world.requests();
  return { issued: tokens.issued, refused: tokens.refused, failed, announced };
}

/** The configs of a run's CONTROL messages, in order. */
export function announcedConfigs({ messages }: Run): object[] {
  return messages.flatMap((message) =>
    message.type === 'CONTROL' ? [message.control.connectorConfig.config] : [],
  );
}
