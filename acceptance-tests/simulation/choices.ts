import { createRandom } from '../sandbox/data/random.ts';

export type Choices = ReturnType<typeof createChoices>;

/** Random choices that follow from what they were started with. */
export function createChoices(start: number) {
  const random = createRandom(start);
  const { below } = random;
  return {
    ...random,
    /** True in so many cases of a hundred. */
    chance: (percent: number) => below(100) < percent,
    /** An integer from `least` to `most`, both included. */
    between: (least: number, most: number) => least + below(most - least + 1),
    /** One of the values, each as often as its weight says. */
    weighted: <const T>(...choices: (readonly [weight: number, value: T])[]): T => {
      let place = below(choices.reduce((sum, [weight]) => sum + weight, 0));
      const chosen = choices.find(([weight]) => (place -= weight) < 0);
      if (chosen === undefined) throw new Error('no choice has any weight');
      return chosen[1];
    },
  };
}
