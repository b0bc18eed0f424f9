/** A row of the table: its cells, its values for other uses, and its bars of the chart by program. */
export interface Line {
  readonly what: string;
  readonly cells: readonly string[];
  readonly values?: Readonly<Record<string, number>>;
  readonly bars?: Readonly<Record<string, number>>;
}

/** Lines with the same columns. */
export interface Group {
  readonly title: string;
  readonly columns: readonly string[];
  readonly lines: readonly Line[];
}

/** The bound of a ratio. */
export type Target = readonly ['at most' | 'at least', number];

/** Returns a line with a ratio for each Node.js version. The target applies to the first. */
export function ratioLine(what: string, figure: string, ratios: number[], target: Target | null): Line {
  const [ratio = Number.NaN] = ratios;
  const [first = '', second = ''] = ratios.map((one) => one.toFixed(2));
  return { what, cells: [figure, first, second, verdict(ratio, target)], values: { ratio } };
}

/** Returns the target and whether it was met. */
export function verdict(ratio: number, target: Target | null): string {
  if (target === null) return '';
  const [side, bound] = target;
  const isMet = side === 'at most' ? ratio <= bound : ratio >= bound;
  return `${side === 'at most' ? '≤' : '≥'}${bound}: ${isMet ? 'met' : 'missed'}`;
}

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
export const grouped = (count: number): string => count.toLocaleString('en-US');

/** Renders the groups as one Markdown table. Each starts with a row of its title and columns. */
export function tableOf(groups: readonly Group[]): string {
  const lines = groups.flatMap(({ title, columns, lines: own }) => [
    [`**${title}**`, ...columns],
    ...own.map(({ what, cells }) => [what, ...cells]),
  ]);
  const width = Math.max(...lines.map((cells) => cells.length));
  const rows = lines.map((cells) => `| ${[...cells, ...Array(width - cells.length).fill('')].join(' | ')} |`);
  return rows.toSpliced(1, 0, `|${' --- |'.repeat(width)}`).join('\n');
}

const VERDICT = /([≤≥][\d.]+): (met|missed)$/;

/** Renders a section with a table for each group, and one with a line for each missed target. */
export function sectionsOf(groups: readonly Group[]): string {
  const sections = groups.map(({ title, columns, lines }) => {
    const [heading = '', ...notes] = title.split('; ');
    const isUsed = (_: string, at: number): boolean =>
      columns[at] !== '' || lines.some(({ cells }) => (cells[at] ?? '') !== '');
    const shown = lines.map(({ what, cells }) => ({
      what,
      cells: cells.map((cell) => cell.replace(VERDICT, '$1')).filter(isUsed),
    }));
    const rows = tableOf([{ title: 'what', columns: columns.filter(isUsed), lines: shown }]);
    const note = notes.join('; ').replace(/^\w/, (letter) => letter.toUpperCase());
    return `### ${heading}\n\n${note === '' ? '' : `${note}.\n\n`}${rows.replace('**what**', 'what')}`;
  });
  const missed = groups.flatMap(missedTargets).map((line) => `- ${line}`);
  return [...sections, '### Missed targets', missed.join('\n') || 'None.'].join('\n\n');
}

function missedTargets({ title, columns, lines }: Group): string[] {
  const [heading = ''] = title.split('; ');
  return lines.flatMap(({ what, cells, values }) =>
    cells.flatMap((cell, at) => {
      const [, bound = '', verdictOf = ''] = VERDICT.exec(cell) ?? [];
      if (verdictOf !== 'missed') return [];
      const column = columns[at] === 'target' ? '' : `, ${columns[at] ?? ''}`;
      const measured = /^[\d.]+/.exec(cell)?.[0] ?? values?.['ratio']?.toFixed(2) ?? '';
      return [`${heading}: ${what}${column}: ${measured}, target ${bound}`];
    }),
  );
}
