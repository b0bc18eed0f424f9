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

/** Mutants of one file: what each breaks, and the text with what is planted in it, as `if (a «< → <=» b)`. */
export function plantedIn(
  file: string,
  nearest: readonly string[],
  faults: Readonly<Record<string, string>>,
): Mutant[] {
  return Object.entries(faults).map(([breaks, change]) => {
    const [, before = '', was = '', is = '', after = ''] =
      /^([^]*)«([^]*) → ([^]*)»([^]*)$/.exec(change) ?? [];
    return { file, breaks, text: before + was + after, planted: before + is + after, nearest };
  });
}
