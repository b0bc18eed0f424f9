import { expect, test } from 'vitest';
import { NO_EVIDENCE, PROOF, STRONG, WEAK, weighEvidence } from './end-evidence.ts';

/** A tied page of the rows from one number up to another; pages have at most 4 rows. */
function page(first: number, last: number, total: number | undefined, found: number) {
  const identities = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const seen = { offset: first, request: 1, rows: identities, identities, total, bytes: 1, granted: 4 };
  return { ...seen, found, isTied: true, isUnknownHead: false };
}

/** A page of these known rows, from offset 8 on. */
const pageOf = (identities: readonly number[], total: number) => ({
  ...page(8, 7 + identities.length, total, 0),
  identities,
});

const UNSURE = { ...NO_EVIDENCE, weight: 1, last: 9, length: 4 };
const CUTTING = { ...UNSURE, cutsPages: true };
const STATING = { ...UNSURE, statesMore: true };

test.each([
  { what: 'rows follow the last covered one', before: UNSURE, after: page(7, 10, undefined, 1), weight: 0 },
  { what: 'covered rows follow the previous end', before: UNSURE, after: page(7, 10, 11, 0), weight: 0 },
  { what: 'the last row alone, total agrees', before: UNSURE, after: page(9, 9, 10, 0), weight: PROOF },
  { what: 'the last row alone', before: UNSURE, after: page(9, 9, undefined, 0), weight: 1 + STRONG },
  { what: 'the last row alone, total differs', before: UNSURE, after: page(9, 9, 50, 0), weight: 1 + STRONG },
  { what: 'a full page', before: UNSURE, after: page(6, 9, undefined, 0), weight: 1 },
  { what: 'short, same end', before: UNSURE, after: page(8, 9, undefined, 0), weight: 1 + WEAK },
  { what: 'short, same end, pages are cut', before: CUTTING, after: page(8, 9, undefined, 0), weight: 1 },
  { what: 'short, another end', before: UNSURE, after: page(5, 6, undefined, 0), weight: 1 },
  { what: 'total agrees, but only counts', before: UNSURE, after: page(6, 9, 10, 0), weight: 1 },
  { what: 'total agrees, another end', before: STATING, after: page(4, 7, 8, 0), weight: STRONG },
  { what: 'total agrees, same end, full', before: STATING, after: page(6, 9, 10, 0), weight: 1 },
  { what: 'total agrees, same end, short', before: STATING, after: page(7, 9, 10, 0), weight: 1 + STRONG },
  { what: 'an empty list, total agrees', before: NO_EVIDENCE, after: page(0, -1, 0, 0), weight: PROOF },
  { what: 'an empty list', before: NO_EVIDENCE, after: page(0, -1, undefined, 0), weight: 0 },
])('$what: $weight', ({ before, after, weight }) => {
  expect(weighEvidence(before, after).weight).toBe(weight);
});

test('known rows after the supposed end reset the evidence', () => {
  // after row 9 follow a row identical to row 3, and row 11; pages are cut short, and the last total lags behind
  const cutAtNine = Array.from({ length: 5 }, () => pageOf([8, 9], 12));
  const evidence = [...cutAtNine, pageOf([8, 9, 3], 12), pageOf([8, 9, 3], 11)].reduce(weighEvidence, {
    ...NO_EVIDENCE,
    last: 9,
    length: 4,
  });
  expect(evidence.weight).toBe(STRONG);
});

test('a page that ended before known rows shows that the server cuts pages, and a larger total that it states more', () => {
  const cut = { ...UNSURE, length: 3 };
  expect(weighEvidence(cut, page(7, 10, undefined, 0))).toMatchObject({
    cutsPages: true,
    statesMore: false,
    last: 10,
  });
  expect(weighEvidence(UNSURE, page(7, 10, 12, 0))).toMatchObject({ cutsPages: false, statesMore: true });
});
