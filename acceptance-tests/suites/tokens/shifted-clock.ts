import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Scenario } from '../../sandbox/client.ts';

const preload = new URL('shifted-clock.mjs', import.meta.url).href;

/** The clock of a world and of the processes that read it, moved together. */
export interface SharedClock {
  /** The environment in which a process of the connector goes by this clock. */
  readonly env: Readonly<Record<string, string>>;
  /** Moves the world's clock and that of all processes, those that run included. */
  readonly advance: (seconds: number) => Promise<void>;
}

/** A clock that stands at the present; `folder` is where processes find it. */
export function shareClock(world: Scenario, folder: string): SharedClock {
  const file = join(folder, 'clock');
  let aheadMs = 0;
  writeFileSync(file, '0');
  return {
    env: { NODE_OPTIONS: `--import=${preload}`, CLOCK_FILE: file },
    advance: async (seconds) => {
      aheadMs += seconds * 1000;
      writeFileSync(file, String(aheadMs));
      await world.advanceClock(seconds);
    },
  };
}
