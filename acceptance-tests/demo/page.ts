/** `1,234,567` */
export const number = (value: number): string => value.toLocaleString('en-US');

/** `3 alarms`, `1 alarm` */
export function counted(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** A table as lines: the first column to the left, the others to the right; the first row is the head. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const [head = [], ...body] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = ([first = '', ...others]: readonly string[]): string =>
    [first.padEnd(widths[0] ?? 0), ...others.map((cell, at) => cell.padStart(widths[at + 1] ?? 0))].join(
      '   ',
    );
  return [line(head), '-'.repeat(line(head).length), ...body.map(line)];
}
