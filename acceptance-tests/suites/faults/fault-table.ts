import { catalogue } from '../../sandbox/faults/catalogue.ts';
import { faultNames } from '../../sandbox/client.ts';
import type { Cell } from './fault-cells.ts';

/** A cell and what came of it. */
export interface Result {
  readonly cell: Cell;
  readonly ending: string;
  readonly right: boolean;
}

const columns = (['token', 'assets', 'alarms'] as const).flatMap((endpoint) =>
  (['passing', 'permanent'] as const).map((form) => ({ endpoint, form })),
);

/** The results as one table: a line for each fault, a column for each endpoint and form; what is wrong says so. */
export function faultTable(results: readonly Result[]): string {
  const head = ['fault', ...columns.map(({ endpoint, form }) => `${endpoint}, ${form}`)];
  const lines = faultNames.map((fault) => [
    catalogue[fault].words,
    ...columns.map(({ endpoint, form }) =>
      results
        .filter(({ cell }) => cell.fault === fault && cell.endpoint === endpoint && cell.form === form)
        .map(textOf)
        .join(', '),
    ),
  ]);
  const widths = head.map((_, column) =>
    Math.max(...[head, ...lines].map((line) => (line[column] ?? '').length)),
  );
  const wrong = results.filter(({ right }) => !right).length;
  return [
    ...[head, widths.map((width) => '-'.repeat(width)), ...lines].map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    ),
    `${results.length} cells, ${wrong} of them wrong. exact: each row once, exit code 0; config, transient: that failure_type,`,
    'a message that says what to do, INCOMPLETE, exit code 1, the other stream exact; in no case a secret in the output.',
  ].join('\n');
}

function textOf({ cell: { at }, ending, right }: Result): string {
  const place = at === 'any' ? '' : ` (${at})`;
  return `${right ? '' : 'WRONG '}${ending.replace('_error', '')}${place}`;
}
