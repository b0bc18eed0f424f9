/** A line of the table: what it is about, a cell for each column of its group, and figures of it for machines. */
export interface Line {
  readonly what: string;
  readonly cells: readonly string[];
  readonly values?: Readonly<Record<string, number>>;
}

/** Lines that share their columns. */
export interface Group {
  readonly title: string;
  readonly columns: readonly string[];
  readonly lines: readonly Line[];
}

/** A bar of the chart: bars of one load are compared with one another. */
export interface Bar {
  readonly load: string;
  readonly label: string;
  readonly value: number;
}

/** What a section of the benchmark gives. */
export interface Findings {
  readonly groups: readonly Group[];
  readonly bars: readonly Bar[];
}

/** What a ratio should be at most, or at least. */
export type Target = { readonly atMost: number } | { readonly atLeast: number };

/** A line with ratios, one for each Node.js; the first one is held to the target. */
export function ratioLine(
  what: string,
  figure: string,
  ratios: readonly number[],
  target: Target | null,
): Line {
  const [ratio = Number.NaN] = ratios;
  const [first = '', second = ''] = ratios.map((one) => one.toFixed(2));
  return { what, cells: [figure, first, second, verdict(ratio, target)], values: { ratio } };
}

/** The target in words, and whether it was met. */
export function verdict(ratio: number, target: Target | null): string {
  if (target === null) return '';
  const isMet = 'atMost' in target ? ratio <= target.atMost : ratio >= target.atLeast;
  const wanted = 'atMost' in target ? `at most ${target.atMost}` : `at least ${target.atLeast}`;
  return `${wanted}: ${isMet ? 'met' : 'missed'}`;
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

export function words(count: number): string {
  return count.toLocaleString('en-US');
}
