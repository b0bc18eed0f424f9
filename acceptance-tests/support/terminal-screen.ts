/** The codes that the connector may send to a terminal: colours, erase to the end of the line, erase below. */
// oxlint-disable-next-line no-control-regex -- escape codes
const CODE = /^\u001B\[(\d*)([mKJ])/;

/**
 * What stands on the screen of a terminal of so many columns after some output, line by line, colours left out.
 *
 * @throws Error at an escape code that the connector has no business with
 */
export function screenAfter(output: string, columns: number): string[] {
  const rows: string[][] = [[]];
  let [row, column] = [0, 0];
  const current = (): string[] => (rows[row] ??= []);
  for (let at = 0; at < output.length;) {
    const character = output.charAt(at);
    if (character === '\u001B') {
      const [whole, count, kind] = CODE.exec(output.slice(at, at + 10)) ?? [];
      if (whole === undefined || (kind !== 'm' && count !== ''))
        throw new Error(`an unknown escape code: ${JSON.stringify(output.slice(at, at + 10))}`);
      if (kind !== 'm') current().length = Math.min(current().length, column);
      if (kind === 'J') rows.length = row + 1;
      at += whole.length;
      continue;
    }
    at += 1;
    if (character === '\r') column = 0;
    else if (character === '\n') row += 1;
    else {
      if (column === columns) [row, column] = [row + 1, 0];
      const line = current();
      while (line.length < column) line.push(' ');
      line[column] = character;
      column += 1;
    }
  }
  // a row that nothing was written to is empty all the same
  current();
  return Array.from(rows, (line) => (line ?? []).join('').trimEnd());
}
