import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A program and its arguments. */
export type Command = readonly [string, ...string[]];

/** The environment of a program, and the number of consecutive runs that are measured together. */
export interface Settings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly times: number;
}

/** The output is counted and discarded. */
const SCRIPT = `TIMEFORMAT=$'\\n%3R %3U %3S'; set -o pipefail; times=$1; shift
{ time for ((run = 0; run < times; run++)); do "$@" || exit 1; done; } | wc -lc`;

type Usage = Awaited<ReturnType<typeof measure>>;

/** Returns the time per run of a command and its subprocesses, and the size of its output. Throws an error if it fails. */
export async function measure(command: Command, { cwd, env, times }: Settings) {
  const args = ['-c', SCRIPT, 'bench', String(times), ...command];
  const { stdout, stderr } = await promisify(execFile)('bash', args, { cwd, env, maxBuffer: 1 << 28 });
  const [lines = 0, bytes = 0] = (stdout.match(/\d+/g) ?? []).map(Number);
  const [wall = 0, user = 0, system = 0] = stderr.trimEnd().split('\n').at(-1)?.split(' ').map(Number) ?? [];
  return { wallMs: (wall * 1000) / times, cpuMs: ((user + system) * 1000) / times, lines, bytes };
}

export type Commands = readonly (readonly [name: string, command: Command])[];
export type Comparison = Awaited<ReturnType<typeof compare>>;

/** Runs commands alternately, round after round. */
export async function compare(commands: Commands, rounds: number, settings: Settings) {
  const all: Record<string, Usage[]> = {};
  for (let round = 0; round < rounds; round++)
    for (const [name, command] of commands) {
      all[name] ??= [];
      all[name].push(await measure(command, settings));
    }
  const of = (name: string, figure: keyof Usage): number[] => (all[name] ?? []).map((usage) => usage[figure]);
  return {
    /** The median of a figure over the rounds. */
    median: (name: string, figure: keyof Usage) => median(of(name, figure)),
    /** The median of the ratios of two commands in the same round, which are affected by the same noise. */
    ratio: (name: string, other: string, figure: keyof Usage) => {
      const others = of(other, figure);
      return median(of(name, figure).map((value, round) => value / (others[round] ?? Number.NaN)));
    },
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = Number.NaN, high = Number.NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}
