import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Adds to an environment what records the resources that a process uses; the functions return them once the process has ended. */
export function recordResources<E extends Readonly<NodeJS.ProcessEnv>>(folder: string, env: E) {
  const USAGE_FILE = join(folder, 'resource-use');
  const preload = new URL('resource-use.mjs', import.meta.url).href;
  const used = () => JSON.parse(readFileSync(USAGE_FILE, 'utf8')) as NodeJS.ResourceUsage;
  return {
    env: { ...env, NODE_OPTIONS: `${env['NODE_OPTIONS'] ?? ''} --import=${preload}`, USAGE_FILE },
    /** Bytes. */
    peakMemory: (): number => used().maxRSS * 1024,
    /** Seconds of CPU time. */
    cpuTime: (): number => (used().userCPUTime + used().systemCPUTime) / 1e6,
  };
}
