import { readFile } from 'node:fs/promises';

/** One test as `python/conftest.py` tells it. */
export interface SuiteResult {
  readonly suite: string;
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly seconds: number;
  readonly figures: string;
  /** Why it was skipped; empty otherwise. */
  readonly reason: string;
}

/** The results in a file of JSON lines. Throws if there is no file: then no test has run. */
export async function readResults(file: string): Promise<SuiteResult[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as SuiteResult);
}

/** The results as a table for people; a test that did not run has its reason below. */
export function resultTable(results: readonly SuiteResult[]): string {
  const rows = results.map(({ suite, name, outcome, seconds, figures, reason }) => ({
    cells: [suite.replaceAll('_', ' '), name, outcome, `${seconds.toFixed(1)} s`, figures],
    below: reason === '' ? [] : [`    ${reason.replace(/^Skipped: /, '')}`],
  }));
  const head = ['suite', 'test', 'outcome', 'time', 'figures'];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map(({ cells }) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(head), '-'.repeat(line(widths.map((width) => '-'.repeat(width))).length)]
    .concat(rows.flatMap(({ cells, below }) => [line(cells), ...below]))
    .join('\n');
}
