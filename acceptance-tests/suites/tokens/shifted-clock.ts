import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../../src/config/temporary-file.test-support.ts';

/** A clock that processes of the connector go by, those that run already included. */
export interface ShiftedClock {
  /** Their environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly advance: (seconds: number) => void;
}

/** A clock that stands at the present, and lives as long as the test. */
export function shiftedClock(): ShiftedClock {
  const file = join(temporaryDirectory(), 'clock');
  const preload = new URL('shifted-clock.mjs', import.meta.url).href;
  let aheadMs = 0;
  const advance = (seconds: number): void => {
    aheadMs += seconds * 1000;
    writeFileSync(file, String(aheadMs));
  };
  advance(0);
  return { env: { NODE_OPTIONS: `--import=${preload}`, CLOCK_FILE: file }, advance };
}
