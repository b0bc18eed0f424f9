import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

import { runCheck } from './check.ts';
import { systemWorld } from './connector.ts';
import type { ConfigOptions, OwnProcess } from './connector.ts';
import { runDiscover } from './discover.ts';
import { runRead } from './read.ts';
import type { ReadOptions } from './read.ts';

/** A command that needs a config. */
export type ConfiguredCommand =
  | { readonly name: 'check'; readonly options: Parameters<typeof runCheck>[0] }
  | { readonly name: 'discover'; readonly options: ConfigOptions }
  | { readonly name: 'read'; readonly options: ReadOptions };

/** Runs a command to its exit code. */
export function runWithConfig(line: ConfiguredCommand, own: OwnProcess): Promise<number> {
  const environment = { ...own, ...systemWorld };
  if (line.name === 'check') return runCheck(line.options, environment);
  if (line.name === 'discover') return runDiscover(line.options, environment);
  limitYoungGeneration();
  return runRead(line.options, environment);
}

/** Bytes of the young generation that suffice for pages of any size. */
const YOUNG_BYTES = 4 * 1024 * 1024;

/** Once it is large, Node.js 24 marks the whole heap over and over: a tenth of the CPU of a read, and a third of its memory. */
function limitYoungGeneration(): void {
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    if ((young?.space_size ?? 0) < YOUNG_BYTES) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}
