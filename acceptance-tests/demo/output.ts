const { isTTY } = process.stdout;
const clearLine = isTTY ? '\r\u001B[K' : '';

export const print = (...lines: readonly string[]): void =>
  void process.stdout.write(`${clearLine}${lines.join('\n')}\n`);

/** Shows a text on a terminal until the next output. */
export const printProgress = (text: string): void =>
  void (isTTY && process.stdout.write(`${clearLine}  ${text}`));

export const number = (value: number): string => value.toLocaleString('en-US');
export const counted = (value: number, noun: string) => `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
export const duration = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
export const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(bytes < 1e7 ? 1 : 0)} MB`;

/** Returns the lines of a table. The first row is the head; all columns except the first are aligned right. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const [head = [], ...body] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    return cells.join('   ');
  };
  return [line(head), '-'.repeat(line(head).length), ...body.map(line)];
}
