import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';

/** What one run of a program has cost. */
export interface Usage {
  readonly wallMs: number;
  /** User and system time of the program and of all that it started. */
  readonly cpuMs: number;
  /** What it wrote to stdout. */
  readonly bytes: number;
  readonly lines: number;
}

/** Where a program runs. */
export interface MeasureOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs behind one another that are taken together. */
  readonly times: number;
}

/** The program writes into a pipe whose other end counts and throws away; its costs come over a pipe of their own. */
const SCRIPT = `TIMEFORMAT='%3R %3U %3S'
times=$1; shift
{ time for ((run = 0; run < times; run++)); do "$@" 2>&4 || echo failed >&3; done; } 2>&3 | wc -lc`;

/**
 * Runs a program to its end and measures it.
 *
 * @throws Error with its last words if it fails
 */
export async function measure(
  command: string,
  args: readonly string[],
  { cwd, env, times }: MeasureOptions,
): Promise<Usage> {
  const child = spawn('bash', ['-c', SCRIPT, 'bench', String(times), command, ...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit', 'pipe', 'pipe'],
  });
  const [, out, , figures, words] = child.stdio as unknown as readonly Readable[];
  const [said, counts, costs] = await Promise.all([
    text(words as Readable),
    text(out as Readable),
    text(figures as Readable),
    once(child, 'close'),
  ]);
  const [wall = 0, user = 0, system = 0] = (costs.match(/\d+\.\d+/g) ?? []).map(Number);
  if (costs.includes('failed')) throw new Error(`${command} ${args.join(' ')} failed:\n${said.slice(-2000)}`);
  const [lines = 0, bytes = 0] = (counts.match(/\d+/g) ?? []).map(Number);
  return { wallMs: (wall * 1000) / times, cpuMs: ((user + system) * 1000) / times, lines, bytes };
}
