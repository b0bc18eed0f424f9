import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runCheck } from './check.ts';
import { systemIo, type ConfigOptions, type ProcessContext } from './connector.ts';
import { runDiscover } from './discover.ts';
import { runRead, type ReadOptions } from './read.ts';

/** A command with a config. */
export type ConfiguredCommand =
  | { readonly name: 'check'; readonly options: Parameters<typeof runCheck>[0] }
  | { readonly name: 'discover'; readonly options: ConfigOptions }
  | { readonly name: 'read'; readonly options: ReadOptions };

/** Runs a command and returns its exit code. */
export function runWithConfig(line: ConfiguredCommand, context: ProcessContext): Promise<number> {
  const environment = { ...context, ...systemIo(context.signal) };
  if (line.name === 'check') return runCheck(line.options, environment);
  if (line.name === 'discover') return runDiscover(line.options, environment);
  collectLess();
  return runRead(line.options, environment);
}

const YOUNG_BYTES = 8 * 1024 * 1024; // size of the young generation, enough for pages of any size

/**
 * Makes V8 collect garbage less often, which saves a fifth of the CPU of a read: rows are short-lived, but V8 counts the buffers
 * of their pages as growth of the heap. The heap may grow to five times the size of its live objects, and its young generation
 * stops growing early. V8 reads both flags whenever it resizes the heap.
 */
function collectLess(): void {
  setFlagsFromString('--heap-growing-percent=400');
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    if ((young?.space_size ?? 0) < YOUNG_BYTES) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}
