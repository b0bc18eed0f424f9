/** Bytes. Grown to its 48 MB it holds more dead pages than are ever alive; held to less it is collected too often. */
const ENOUGH = 8 * 1024 * 1024;

/** Lets V8's young generation grow to what pages need and no further, so that a long read takes no more memory than a short one. */
export function limitYoungGeneration(): void {
  // loaded for a read alone: they would cost a check as much as its validation
  const { PerformanceObserver } = process.getBuiltinModule('node:perf_hooks');
  const { getHeapSpaceStatistics, setFlagsFromString } = process.getBuiltinModule('node:v8');
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    if (young === undefined || young.space_size < ENOUGH) return;
    // the one setting of it that still counts once the process runs
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}
