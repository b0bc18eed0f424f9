/** A fault to be planted: a text that stands once in a file, what takes its place, and what that breaks. */
export interface Mutant {
  /** Relative to the repository. */
  readonly file: string;
  readonly text: string;
  readonly planted: string;
  readonly breaks: string;
  /** Tests that are run first; where none are named, the first simulated scenarios. */
  readonly nearest?: readonly string[];
}
