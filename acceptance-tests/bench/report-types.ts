/** One row of the table: something measured against something else in the same run. */
export interface TableRow {
  readonly section: Section;
  readonly what: string;
  /** The figure itself, with its unit. */
  readonly figure: string;
  /** The ratio that the target speaks of; null where the row is there to be read. */
  readonly ratio: number | null;
  readonly target: Target | null;
}

export type Section = 'a' | 'b' | 'c' | 'd' | 'e';

/** What a ratio should be at most, or at least. */
export type Target = { readonly atMost: number } | { readonly atLeast: number };

/** A bar of the chart. */
export interface Bar {
  readonly label: string;
  readonly value: number;
}

/** What a section of the benchmark gives. */
export interface SectionResult {
  readonly rows: readonly TableRow[];
  /** CPU seconds for a million rows, for the chart. */
  readonly bars: readonly Bar[];
  /** Said below the table. */
  readonly notes: readonly string[];
}

/** `met` or `missed`; empty where there is no target. */
export function verdict({ ratio, target }: Pick<TableRow, 'ratio' | 'target'>): 'met' | 'missed' | '' {
  if (target === null || ratio === null) return '';
  const isMet = 'atMost' in target ? ratio <= target.atMost : ratio >= target.atLeast;
  return isMet ? 'met' : 'missed';
}
