const ESCAPE = /\\(?:u([\da-f]{4})|.)/gi;
const PAIR_LENGTH = '\\ud83d'.length;

/** True if a JSON text holds half of a surrogate pair, which only an escape can bring in. */
export function hasLoneSurrogate(json: string): boolean {
  let open: number | null = null;
  for (const match of json.matchAll(ESCAPE)) {
    const code = match[1] === undefined ? 0 : Number.parseInt(match[1], 16);
    const isLow = code >= 0xdc00 && code <= 0xdfff;
    // a low half stands directly behind a high one, and nowhere else
    if (open === null ? isLow : !isLow || match.index !== open) return true;
    open = code >= 0xd800 && code <= 0xdbff ? match.index + PAIR_LENGTH : null;
  }
  return open !== null;
}
