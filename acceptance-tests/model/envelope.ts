/** The form of the body of a list response. */
export interface EnvelopeForm {
  readonly memberOrder: 'itemsFirst' | 'metadataFirst';
  readonly prettyPrint: boolean;
  /** Adds members, some of them nested ones with the names of the real ones. */
  readonly envelopeExtra: boolean;
}

export const PLAIN_ENVELOPE: EnvelopeForm = {
  memberOrder: 'itemsFirst',
  prettyPrint: false,
  envelopeExtra: false,
};

/** Returns the body of a list response; both texts are JSON. With `prettyPrint` the items must be indented already. */
export function envelope(items: readonly string[], pagination: string, form: EnvelopeForm): string {
  const { prettyPrint: pretty, envelopeExtra: extra } = form;
  const spread = (member: string): string => (pretty ? prettyJson(member, 1) : member);
  const lines = items.length === 0 ? '"items": []' : `"items": [\n    ${items.join(',\n    ')}\n  ]`;
  const rows = pretty ? lines : `"items":[${items.join(',')}]`;
  const decoys = '"traceId":"00-7b\\u0022","items":-1,"related":{"items":[{}],"pagination":null},';
  const before = extra ? decoys : '';
  const after = extra ? `,"servedRows":${items.length},"pagination2":{"nextCursor":"no"}` : '';
  const members = [rows, spread(`"metadata":{${before}"pagination":${pagination}${after}}`)];
  if (form.memberOrder === 'metadataFirst') members.reverse();
  const info = '"info":{"items":[{"metadata":{"pagination":{"nextCursor":"decoy","totalCount":0}}}]}';
  if (extra) members.unshift(spread(info));
  if (extra) members.push(spread('"links":null'));
  return pretty ? `{\n  ${members.join(',\n  ')}\n}` : `{${members.join(',')}}`;
}

/**
 * Indents compact JSON by two blanks per level without changing its tokens. `depth` is its level in the document.
 */
export function prettyJson(compact: string, depth: number): string {
  let level = depth;
  const newLine = (): string => `\n${'  '.repeat(level)}`;
  return compact.replace(/"(?:[^"\\]|\\.)*"|\{\}|\[\]|[{}[\],:]/g, (token) => {
    if (token === ',') return token + newLine();
    if (token === ':') return ': ';
    if (token === '{' || token === '[') {
      level += 1;
      return token + newLine();
    }
    if (token !== '}' && token !== ']') return token;
    level -= 1;
    return newLine() + token;
  });
}
