import type { Random } from '../sandbox/data/random.ts';

/** True in so many cases of a hundred. */
export function chance(random: Random, percent: number): boolean {
  return random.below(100) < percent;
}

/** An integer from `least` to `most`, both included. */
export function between(random: Random, least: number, most: number): number {
  return least + random.below(most - least + 1);
}

/** One of the values, each as often as its weight says. */
export function weighted<const T>(random: Random, ...choices: (readonly [weight: number, value: T])[]): T {
  const sum = choices.reduce((total, [weight]) => total + weight, 0);
  let place = random.below(sum);
  for (const [weight, value] of choices) {
    if (place < weight) return value;
    place -= weight;
  }
  throw new Error('no choice has any weight');
}
