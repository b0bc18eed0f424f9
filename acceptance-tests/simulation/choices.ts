import { createRandom } from '../sandbox/data/random.ts';
import { ANSWERS, type DimensionName, type ValueOf } from './answers.ts';

export type Choices = ReturnType<typeof createChoices>;
export type Draw = ReturnType<typeof createDraw>;

/** Random choices, determined by `start`. */
export function createChoices(start: number) {
  const random = createRandom(start);
  const { below } = random;
  return {
    ...random,
    chance: (percent: number) => below(100) < percent,
    /** An integer from `min` to `max`, both included. */
    between: (min: number, max: number) => min + below(max - min + 1),
    weighted: <const T>(...values: (readonly [weight: number, value: T])[]): T => {
      let place = below(values.reduce((sum, [weight]) => sum + weight, 0));
      for (const [weight, value] of values) {
        if (place < weight) return value;
        place -= weight;
      }
      throw new Error('all weights are 0');
    },
  };
}

/** Draws answers to dimensions by weight, or the baseline of each dimension if `start` is null. */
export function createDraw(start: number | null) {
  const choices = createChoices(start ?? 0);
  const drawn: Partial<Record<DimensionName, string>> = {};
  const draw = <D extends DimensionName>(name: D): ValueOf<D> => {
    const answers = ANSWERS[name];
    const weights = answers.map((answer) => [answer.weight, answer] as const);
    const { answer, value } = start === null && answers[0] ? answers[0] : choices.weighted(...weights);
    drawn[name] = answer;
    return value as ValueOf<D>;
  };
  /** An integer from the range of the answer; null if the answer has none. */
  const size = <D extends RangeName>(name: D): number | (null & ValueOf<D>) => {
    const range = draw(name) as readonly [number, number] | null;
    return range === null ? (null as null & ValueOf<D>) : choices.between(...range);
  };
  return { ...choices, drawn, draw, size };
}

type RangeName = {
  [D in DimensionName]: ValueOf<D> extends readonly [number, number] | null ? D : never;
}[DimensionName];
