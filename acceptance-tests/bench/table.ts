import { verdict } from './report-types.ts';
import type { TableRow } from './report-types.ts';

const HEADINGS = ['', 'what', 'figure', 'ratio', 'target', ''];

/** The rows as a table of markdown, in columns that line up. */
export function tableOf(rows: readonly TableRow[]): string {
  const cells = [HEADINGS, ...rows.map(cellsOf)];
  const widths = HEADINGS.map((_, column) => Math.max(3, ...cells.map((line) => line[column]?.length ?? 0)));
  const lines = cells.map(
    (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  lines.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`);
  return lines.join('\n');
}

function cellsOf(row: TableRow): string[] {
  const { section, what, figure, ratio, target } = row;
  const wanted =
    target === null ? '' : 'atMost' in target ? `at most ${target.atMost}` : `at least ${target.atLeast}`;
  return [section, what, figure, ratio === null ? '' : ratio.toFixed(2), wanted, verdict(row)];
}
