/** A behavior that the connector does not control, and its variants. */
export interface Deviation {
  /** The passage of the API's documentation that leaves it open, or who decides it. */
  readonly source: string;
  /** The section of docs/deviations.md that says what the connector does in each case, and what remains for people. */
  readonly section: string;
  /**
   * Its variants, separated by `|` and written as `weight name = value`; the value defaults to the name, and `a..b` is a range that includes
   * both ends. Times are in ms, rates are percentages. The first one is the baseline. The weight says how often the simulation draws it; 0
   * marks what the connector does not support yet.
   */
  readonly answers: string;
}

/** The values in the answers of a deviation. */
export type ValueIn<Text> = Text extends `${infer First} | ${infer Rest}`
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
