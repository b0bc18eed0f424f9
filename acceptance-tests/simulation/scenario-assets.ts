import type { Random } from '../sandbox/data/random.ts';
import { between, chance, weighted } from './choice.ts';
import type { Choose } from './features.ts';

/** Before how many requests of a hundred something happens, and to how many rows at most. */
interface Change {
  readonly percent: number;
  readonly most: number;
}

const NEVER: Change = { percent: 0, most: 1 };

export type AssetsPlan = ReturnType<typeof drawAssets>;

/** Draws how the list of assets behaves. */
export function drawAssets(random: Random, choose: Choose) {
  const mostPerPage = chance(random, 12) ? 2 : between(random, 3, 10);
  const inserts = drawChange(random, mostPerPage + 2);
  const deletes = drawChange(random, 3);
  const kind = weighted(random, [55, 'text'], [20, 'number'], [15, 'mixed'], [10, 'absent']);
  const known = choose('number ids', kind, kind === 'absent' ? kind : 'text');
  const isVolatile = chance(random, 12);
  const totals = weighted(
    random,
    [50, 'right'],
    [20, 'absent'],
    [5, 'null'],
    [5, '-1'],
    [5, 'too large'],
    [5, 'too small'],
    [5, 'what was shown'],
    [5, 'stale'],
  );
  const rows = weighted(random, [5, 0], [5, 1], [10, mostPerPage], [80, between(random, 2, 55)]);
  const refusesMore = chance(random, 15);
  const shortPercent = weighted(random, [70, 0], [20, 15], [10, 60]);
  // a list that one row comes into before every request never rests within a read; where pages are cut short too, and no total
  // tells, its end may be beyond proof
  const neverRests = inserts.percent === 100 && inserts.most === 1 && mostPerPage > 2;
  const canBeProven = shortPercent === 0 || totals === 'right';
  return {
    rows,
    // of each `assetId`; mixed has texts and numbers of the same digits, and rows without any
    ids: choose('no ids', known, known === 'number' ? known : 'text'),
    // a row's text is another one each time that it is shown
    isVolatile: choose('altered rows', isVolatile, false),
    mostPerPage,
    // a larger limit is refused with a 400 rather than cut down
    refusesMore,
    // pages of a hundred that are cut short, to two rows at least
    shortPercent,
    totals: choose('odd totals', totals, 'right'),
    echoesOffset: chance(random, 70),
    // at the head, and anywhere
    inserts: choose('moving assets', inserts, NEVER),
    deletes: choose('moving assets', deletes, NEVER),
    // that there ever are
    mostRows: neverRests && canBeProven ? 300 : 90,
  };
}

function drawChange(random: Random, most: number): Change {
  const percent = weighted(random, [35, 0], [25, 5], [20, 30], [20, 100]);
  return { percent, most: chance(random, 60) ? 1 : between(random, 1, most) };
}
