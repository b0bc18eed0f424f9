/** A fault to be planted: a text that stands once in a file, what takes its place, and what that breaks. */
export interface Mutant {
  /** Relative to the repository. */
  readonly file: string;
  readonly breaks: string;
  readonly text: string;
  readonly planted: string;
  /** Tests that are run first; the first simulated scenarios where this is empty. */
  readonly nearest: readonly string[];
}

/** For mutants that the first simulated scenarios catch. */
export const SIMULATION: readonly string[] = [];

/** Mutants of one file: what each breaks, the text, and what is planted there. */
export function plantedIn(
  file: string,
  nearest: readonly string[],
  faults: Readonly<Record<string, readonly [text: string, planted: string]>>,
): Mutant[] {
  return Object.entries(faults).map(([breaks, [text, planted]]) => ({
    file,
    breaks,
    text,
    planted,
    nearest,
  }));
}
