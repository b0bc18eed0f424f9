import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Adds to an environment what records the peak memory of a process; `peak` returns it in bytes once the process has ended. */
export function recordPeakMemory<E extends Readonly<NodeJS.ProcessEnv>>(folder: string, env: E) {
  const PEAK_FILE = join(folder, 'peak-memory');
  const preload = new URL('peak-memory.mjs', import.meta.url).href;
  return {
    env: { ...env, NODE_OPTIONS: `${env['NODE_OPTIONS'] ?? ''} --import=${preload}`, PEAK_FILE },
    peak: () => Number(readFileSync(PEAK_FILE, 'utf8')) * 1024,
  };
}
