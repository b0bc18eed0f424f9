import { DEVIATIONS, SIZES, type Deviation } from './dimensions.ts';

export type DimensionName = keyof typeof DEVIATIONS | keyof typeof SIZES;

/** The answers to each dimension. */
export const ANSWERS = Object.fromEntries(
  [...Object.entries<Deviation>(DEVIATIONS), ...Object.entries<string>(SIZES)].map(([name, entry]) => [
    name,
    (typeof entry === 'string' ? entry : entry.answers).split(' | ').map(parsed),
  ]),
) as unknown as Readonly<Record<DimensionName, readonly ReturnType<typeof parsed>[]>>;

function parsed(text: string) {
  const [, weight, answer = '', value = answer] = /^(\d+) (.*?)(?: = (.*))?$/.exec(text) ?? [];
  const isLiteral = /^(-?[\d.]+|true|false|null)$/.test(value);
  const range = value.split('..').map(Number);
  const literal = isLiteral && range.length === 1 ? (JSON.parse(value) as unknown) : value;
  return { weight: Number(weight), answer, value: range.length === 2 ? range : literal };
}

/** The value in a scenario for the answer to a dimension. */
export type ValueOf<D extends DimensionName> = D extends keyof typeof DEVIATIONS
  ? ValueIn<(typeof DEVIATIONS)[D]['answers']>
  : D extends keyof typeof SIZES
    ? ValueIn<(typeof SIZES)[D]>
    : never;
type ValueIn<Text> = Text extends `${infer First} | ${infer Rest}`
  ? ValueIn<First> | ValueIn<Rest>
  : Value<Text>;
type Value<Text> = Text extends `${number} ${infer Name}`
  ? Name extends `${string} = ${infer Given}`
    ? Literal<Given>
    : Name
  : never;
type Literal<Text> = Text extends `${number}..${number}`
  ? readonly [number, number]
  : Text extends `${infer Plain extends number | boolean | null}`
    ? Plain
    : Text;
