import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';

/** What one run of a program has cost. */
export interface Usage {
  readonly wallMs: number;
  /** User and system time of the program and of all that it started. */
  readonly cpuMs: number;
  /** The most memory that one of its processes had resident, in MiB: the kernel's own mark, read while it runs. */
  readonly peakMb: number;
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
const LOOK_MS = 25;

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
  let peakMb = 0;
  const look = setInterval(() => {
    void peakBelow(child.pid ?? 0).then((peak) => (peakMb = Math.max(peakMb, peak)));
  }, LOOK_MS);
  const said = text(words as Readable);
  const [counts, costs] = await Promise.all([
    text(out as Readable),
    text(figures as Readable),
    once(child, 'close'),
  ]);
  clearInterval(look);
  const [wall = 0, user = 0, system = 0] = (costs.match(/\d+\.\d+/g) ?? []).map(Number);
  if (costs.includes('failed'))
    throw new Error(`${command} ${args.join(' ')} failed:\n${(await said).slice(-2000)}`);
  const [lines = 0, bytes = 0] = (counts.match(/\d+/g) ?? []).map(Number);
  return { wallMs: (wall * 1000) / times, cpuMs: ((user + system) * 1000) / times, peakMb, lines, bytes };
}

/** The highest mark of resident memory among the descendants of a process, shells and counters aside; 0 where there is no /proc. */
async function peakBelow(pid: number): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const peaks = await Promise.all(
    (children.match(/\d+/g) ?? []).map(async (child) => {
      const status = await readFile(`/proc/${child}/status`, 'utf8').catch(() => '');
      const isOurs = /^Name:\s+(bash|wc)$/m.test(status);
      const own = isOurs ? 0 : Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
      return Math.max(own, await peakBelow(Number(child)));
    }),
  );
  return Math.max(0, ...peaks);
}
