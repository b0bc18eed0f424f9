import { FIRST_WITH_SURROGATES, MEMBER, memberName, memberText, scalarMember } from '../protocol/row.ts';
import type { Row } from '../protocol/row.ts';
import { quoted } from './findings.ts';
import type { Finder } from './findings.ts';

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

/** Finds rows that hold half of a surrogate pair (`"\ud83d"` alone), which is valid JSON but no text. */
export function createHalfFinder(key: string | null): Finder {
  let seen = 0;
  let count = 0;
  let first = '';
  return {
    look: (rows) => {
      const before = count;
      for (const row of rows) {
        seen++;
        const field = fieldOfHalf(row);
        if (field === null || count++ > 0) continue;
        first = `${nameOf(row, key, seen)} has half of a surrogate pair in ${quoted(field)}, and loaders drop such rows`;
      }
      return before === 0 && count > 0 ? [first] : [];
    },
    found: () => (count === 0 ? [] : [`${first} (${count} such rows)`]),
  };
}

function nameOf(row: Row, key: string | null, number: number): string {
  const id = key === null ? undefined : scalarMember(row, key)?.text;
  return id === undefined ? `row ${number}` : `the row with ${key} ${quoted(id)}`;
}

/** The first field of a row with half of a surrogate pair in its name or value; null if there is none. */
function fieldOfHalf(row: Row): string | null {
  const { places, firstPlace, endPlace } = row;
  for (let at = firstPlace; at < endPlace; at += MEMBER) {
    if ((places[at + 2] ?? 0) < FIRST_WITH_SURROGATES || !hasLoneSurrogate(memberText(row, at))) continue;
    return memberName(row, at);
  }
  return null;
}
