import type { Group } from './lines.ts';

/** The groups as one table of markdown; each begins with a line of its own that names its columns. */
export function tableOf(groups: readonly Group[]): string {
  const lines = groups.flatMap(({ title, columns, lines: own }) => [
    [`**${title}**`, ...columns],
    ...own.map(({ what, cells }) => [what, ...cells]),
  ]);
  const width = Math.max(...lines.map((cells) => cells.length));
  const padded = lines.map((cells) => [...cells, ...Array<string>(width - cells.length).fill('')]);
  const [head = [], ...rest] = padded;
  return [head, head.map(() => '---'), ...rest].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
