import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A program and its arguments. */
export type Words = readonly [string, ...string[]];

/** Where a program runs, and how many runs behind one another are taken together. */
export interface Settings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly times: number;
}

/** The program writes into a pipe whose other end counts and throws away. */
const SCRIPT = `TIMEFORMAT=$'\\n%3R %3U %3S'; set -o pipefail; times=$1; shift
{ time for ((run = 0; run < times; run++)); do "$@" || exit 1; done; } | wc -lc`;

type Usage = Awaited<ReturnType<typeof measure>>;

/** Runs a program to its end: what it and all that it started has cost, and what it wrote. Throws its words if it fails. */
export async function measure(program: Words, { cwd, env, times }: Settings) {
  const words = ['-c', SCRIPT, 'bench', String(times), ...program];
  const said = await promisify(execFile)('bash', words, { cwd, env, maxBuffer: 1 << 28 });
  const [lines = 0, bytes = 0] = (said.stdout.match(/\d+/g) ?? []).map(Number);
  const [wall = 0, user = 0, system = 0] =
    said.stderr.trimEnd().split('\n').at(-1)?.split(' ').map(Number) ?? [];
  return { wallMs: (wall * 1000) / times, cpuMs: ((user + system) * 1000) / times, lines, bytes };
}

/** What the contenders of a comparison cost. */
export type Contest = Awaited<ReturnType<typeof compete>>;

/** Runs the contenders in turn, round after round. Throws what `measure` throws. */
export async function compete(
  contenders: readonly (readonly [name: string, program: Words])[],
  rounds: number,
  settings: Settings,
) {
  const all: Record<string, Usage[]> = {};
  for (let round = 0; round < rounds; round++)
    for (const [name, program] of contenders) (all[name] ??= []).push(await measure(program, settings));
  const of = (name: string, figure: keyof Usage): number[] => (all[name] ?? []).map((usage) => usage[figure]);
  return {
    /** The median of one figure of a contender over the rounds. */
    median: (name: string, figure: keyof Usage) => median(of(name, figure)),
    /** The median over the rounds of how often the other one's figure goes into this one's: noise that lasts hits both. */
    ratio: (name: string, other: string, figure: keyof Usage) => {
      const others = of(other, figure);
      return median(of(name, figure).map((value, round) => value / (others[round] ?? Number.NaN)));
    },
  };
}

/** NaN of none. */
function median(values: readonly number[]): number {
  const inOrder = values.toSorted((a, b) => a - b);
  const middle = inOrder.length / 2;
  const [low = Number.NaN, high = Number.NaN] = [inOrder[Math.ceil(middle) - 1], inOrder[Math.floor(middle)]];
  return (low + high) / 2;
}
