import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const repository = join(import.meta.dirname, '../..');
const vitest = join(repository, 'node_modules/vitest/vitest.mjs');
const args = ['run', '--project', 'unit', 'src/paging', 'src/streams'];
/** ms: no property runs longer than that. */
const testTimeout = 24 * 3_600_000;

/** One pass through the property tests. */
export interface PropertyPass {
  readonly seed: number;
  /** Cases of each property. */
  readonly runs: number;
}

/** What came of it. */
export interface PropertyResult {
  readonly passed: boolean;
  readonly ms: number;
  /** All that the test runner said. */
  readonly output: string;
}

/** Runs the property tests of paging and streams in processes of their own. */
export async function runPropertyTests({ seed, runs }: PropertyPass): Promise<PropertyResult> {
  const started = performance.now();
  const child = spawn(process.execPath, [vitest, ...args, '--testTimeout', String(testTimeout)], {
    cwd: repository,
    env: { ...process.env, NO_COLOR: '1', PROPERTY_SEED: String(seed), PROPERTY_RUNS: String(runs) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = (await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])) as [string, string, [number | null]];
  return { passed: code === 0, ms: performance.now() - started, output: stdout + stderr };
}

/** The command that runs the same pass again. */
export function replayOf({ seed, runs }: PropertyPass): string {
  return `PROPERTY_SEED=${seed} PROPERTY_RUNS=${runs} npx vitest ${args.join(' ')} --testTimeout ${testTimeout}`;
}
