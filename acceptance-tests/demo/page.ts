/** `1,234,567` */
export function number(value: number): string {
  return value.toLocaleString('en-US');
}

/** `3 alarms`, `1 alarm` */
export function counted(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** `1.2 s`, or `3 min 20 s` */
export function duration(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `12 MB`, in millions of bytes. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`;
}

/** A table as lines: the first column to the left, the others to the right; the first row is the head. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    widths
      .map((width, column) => {
        const cell = row[column] ?? '';
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('   ');
  const [head = [], ...body] = rows;
  return [line(head), '-'.repeat(line(head).length), ...body.map(line)];
}

/** One step of the demo: a number, a title, and lines that stand under it. */
export function step(count: number, title: string, lines: readonly string[]): string {
  return [`${count}. ${title}`, ...lines.map((line) => `     ${line}`), ''].join('\n');
}
