import { createReadStream } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

import { exchange } from '../http/request.ts';
import { openFileStore } from '../token/store.ts';
import type { World } from './connector.ts';

// The commands that need a config, and the world that they meet. Loaded late: with it `spec` and `--help` would take half as
// long again.
export { runCheck } from './check.ts';
export { runDiscover } from './discover.ts';
export { runRead } from './read.ts';

export const systemWorld: World = {
  exchange,
  openFile: (path) => createReadStream(path),
  openTokenStore: openFileStore,
};

/** Bytes of the young generation that suffice for pages of any size. */
const YOUNG_BYTES = 8 * 1024 * 1024;

/**
 * Keeps the young generation small: once it is large, Node.js 24 marks the whole heap over and over, which costs a tenth of the
 * CPU of a read and a third of its memory.
 */
export function limitYoungGeneration(): void {
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    if ((young?.space_size ?? 0) < YOUNG_BYTES) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}
