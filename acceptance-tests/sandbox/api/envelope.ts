import type { Options } from '../options.ts';

/**
 * The body of a list response from the texts of its items and of its pagination object.
 * With `envelopeExtra` it has other members too, among them some named like the real ones, deeper in the document.
 * Items must come from the list's renderer, so that they are spread over lines if the page is.
 */
export function envelope(items: readonly string[], pagination: string, options: Options): string {
  const pretty = options.prettyPrint;
  const spread = (member: string): string => (pretty ? prettyJson(member, 1) : member);
  const lines = items.length === 0 ? '"items": []' : `"items": [\n    ${items.join(',\n    ')}\n  ]`;
  const rows = pretty ? lines : `"items":[${items.join(',')}]`;
  const extra = options.envelopeExtra;
  const before = extra
    ? '"traceId":"00-7b\\u0022","items":-1,"related":{"items":[{}],"pagination":null},'
    : '';
  const after = extra ? `,"servedRows":${items.length},"pagination2":{"nextCursor":"no"}` : '';
  const metadata = `"metadata":{${before}"pagination":${pagination}${after}}`;
  const members = [rows, spread(metadata)];
  if (options.memberOrder === 'metadataFirst') members.reverse();
  if (extra) {
    members.unshift(
      spread('"info":{"items":[{"metadata":{"pagination":{"nextCursor":"decoy","totalCount":0}}}]}'),
    );
    members.push(spread('"links":null'));
  }
  return pretty ? `{\n  ${members.join(',\n  ')}\n}` : `{${members.join(',')}}`;
}

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
