/**
 * Spreads compact JSON over lines, two blanks to a level, as a pretty-printing server does. Tokens keep their text.
 * `depth` is the level at which the text stands inside the whole document.
 */
export function prettyJson(compact: string, depth: number): string {
  let pretty = '';
  let level = depth;
  let copied = 0;
  let quoted = false;
  const breakLine = (): string => `\n${'  '.repeat(level)}`;
  for (let at = 0; at < compact.length; at += 1) {
    const character = compact.charAt(at);
    if (quoted) {
      if (character === '\\') at += 1;
      else if (character === '"') quoted = false;
      continue;
    }
    if (character === '"') quoted = true;
    if (!'{[]},:'.includes(character)) continue;
    pretty += compact.slice(copied, at);
    copied = at + 1;
    const next = compact.charAt(at + 1);
    if (character === ',') pretty += `,${breakLine()}`;
    else if (character === ':') pretty += ': ';
    else if (character === '}' || character === ']') {
      level -= 1;
      pretty += breakLine() + character;
    } else if (next === '}' || next === ']') {
      pretty += character + next;
      at += 1;
      copied = at + 1;
    } else {
      level += 1;
      pretty += character + breakLine();
    }
  }
  return pretty + compact.slice(copied);
}
