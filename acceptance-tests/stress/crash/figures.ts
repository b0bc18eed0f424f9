import { number, table } from '../../demo/page.ts';

/** What a crash test counts, in words. */
const WORDS = {
  kills: 'kills',
  rounds: 'rounds',
  readsFinished: 'reads finished',
  assetCycles: 'asset lists read to their end',
  killsInsideLine: 'kills inside a line',
  rows: 'rows emitted',
  uncovered: 'rows behind the last state of a killed round',
  repeats: 'those of them that came again',
  placesLost: 'places lost (all rows deleted), said by a WARN',
  readAgain: 'rows read again because of that',
} as const;

type Count = keyof typeof WORDS;
const COUNTS = Object.keys(WORDS) as readonly Count[];

/** What a crash test has counted. */
export interface CrashFigures {
  readonly counts: Record<Count, number>;
  /** Rows that were lost, altered, or emitted again though a state covered them, with examples; empty if all is well. */
  readonly problems: string[];
}

/** The figures of several worlds as one; zeros for none. */
export function sumFigures(parts: readonly CrashFigures[]): CrashFigures {
  const sum = (count: Count): number => parts.reduce((total, { counts }) => total + counts[count], 0);
  return {
    counts: Object.fromEntries(COUNTS.map((count) => [count, sum(count)])) as Record<Count, number>,
    problems: parts.flatMap(({ problems }) => problems),
  };
}

/** The figures as a table, and below it what went wrong. */
export function describeFigures({ counts, problems }: CrashFigures, seed: number): string {
  const lines = table([
    ['crash test', 'figure'],
    ...COUNTS.map((count) => [WORDS[count], number(counts[count])]),
    ['rows lost, altered or doubled: cases', number(problems.length)],
    ['seed', String(seed)],
  ]);
  return [...lines, ...problems.slice(0, 10)].join('\n');
}
