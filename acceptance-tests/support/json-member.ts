const stringToken = /"(?:[^"\\]|\\.)*"/y;
const space = /[ \t\n\r]*/y;
/** Everything up to a character that opens, closes, separates or quotes. */
const plain = /[^"{}[\],]*/y;

/**
 * The exact text of a member of a JSON object, as it stands there; `path` goes from object to object. Undefined if it is
 * not there. `json` must be valid JSON; what is not is not told.
 */
export function memberText(json: string, path: readonly string[]): string | undefined {
  return path.reduce<string | undefined>(
    (text, name) => (text === undefined ? undefined : member(text, name)),
    json,
  );
}

function member(json: string, wanted: string): string | undefined {
  let at = skip(space, json, 0);
  if (json[at] !== '{') return undefined;
  for (at = skip(space, json, at + 1); json[at] === '"'; at = skip(space, json, at + 1)) {
    const nameEnd = skip(stringToken, json, at);
    const name: unknown = JSON.parse(json.slice(at, nameEnd));
    const start = skip(space, json, skip(space, json, nameEnd) + 1);
    at = endOfValue(json, start);
    if (name === wanted) return json.slice(start, at).trimEnd();
  }
  return undefined;
}

/** Where the separator behind the value stands. */
function endOfValue(json: string, start: number): number {
  let depth = 0;
  for (let at = skip(plain, json, start); at < json.length; at = skip(plain, json, at)) {
    const character = json[at];
    if (character === '"') {
      at = skip(stringToken, json, at);
      continue;
    }
    if (depth === 0 && (character === ',' || character === '}' || character === ']')) return at;
    if (character === '{' || character === '[') depth += 1;
    if (character === '}' || character === ']') depth -= 1;
    at += 1;
  }
  return json.length;
}

/** The position behind what `token` matches at `at`; `at` itself if it does not. */
function skip(token: RegExp, json: string, at: number): number {
  token.lastIndex = at;
  return token.test(json) ? token.lastIndex : at;
}
