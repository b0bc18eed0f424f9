const GAP = '  ';

/**
 * A table for people: a heading, a line under it, and the rows, in columns as wide as they need to be; those whose index is
 * in `numbers` stand to the right. What would disturb a terminal, control characters first of all, comes out as blanks.
 */
export function textTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  numbers: readonly number[],
): string {
  const all = [heading, ...rows].map((cells) => cells.map(printable));
  const widths = heading.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)));
  const lines = all.map((cells) =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return numbers.includes(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join(GAP)
      .trimEnd(),
  );
  const rule = widths
    .map((width) => '-'.repeat(width))
    .join(GAP)
    .trimEnd();
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

/** The text on one line, without anything that a terminal would obey. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
}

/** The text in lines of at most `width` characters, as far as its words allow: the first one as it is, the others indented. */
export function wrapped(text: string, width: number, indent: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && longer.length > width) {
      lines.push(line);
      line = `${indent}${word}`;
    } else line = longer;
  }
  return [...lines, line].join('\n');
}
