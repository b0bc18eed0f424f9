import { join } from 'node:path';

import { measure } from './measure.ts';
import type { MeasureOptions, Usage } from './measure.ts';

/** A program that takes part in a comparison. */
export interface Contender {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** What the contenders cost: one usage of each in every round. */
export interface Contest {
  /** The median of one figure of a contender over the rounds. */
  readonly median: (name: string, figure: keyof Usage) => number;
  /** The median over the rounds of how often the other one's figure goes into this one's: noise that lasts hits both. */
  readonly ratio: (name: string, other: string, figure: keyof Usage) => number;
}

/** Runs the contenders in turn, round after round. Throws what `measure` throws. */
export async function compete(
  contenders: readonly Contender[],
  rounds: number,
  options: MeasureOptions,
): Promise<Contest> {
  const all: Record<string, Usage[]> = {};
  for (let round = 0; round < rounds; round++)
    for (const { name, command, args } of contenders)
      (all[name] ??= []).push(await measure(command, args, options));
  const of = (name: string): readonly Usage[] => all[name] ?? [];
  return {
    median: (name, figure) => median(of(name).map((usage) => usage[figure])),
    ratio: (name, other, figure) =>
      median(of(name).map((usage, round) => usage[figure] / (of(other)[round]?.[figure] ?? Number.NaN))),
  };
}

/** The median of some numbers; NaN of none. */
function median(values: readonly number[]): number {
  const inOrder = values.toSorted((a, b) => a - b);
  const middle = inOrder.length / 2;
  const [low, high] = [inOrder[Math.ceil(middle) - 1], inOrder[Math.floor(middle)]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}

/** A program of the folder `programs` as a contender. */
export function script(node: string, name: string, args: readonly (string | number)[]): Contender {
  const path = join(import.meta.dirname, `programs/${name.replace(' ', '-')}.mjs`);
  return { name, command: node, args: [path, ...args.map(String)] };
}
