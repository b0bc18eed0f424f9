import { number, table } from '../../demo/page.ts';

/** What a crash test has counted. */
export interface CrashFigures {
  rounds: number;
  /** Rounds that ended by SIGKILL. */
  kills: number;
  killsInsideLine: number;
  /** Rounds that ended by themselves, with exit code 0. */
  readsFinished: number;
  /** Times that the assets were read to their end, in however many rounds. */
  assetCycles: number;
  /** RECORD lines that reached us whole. */
  rows: number;
  /** Assets that were there from the first request for the list to the last, and alarms that were there when a read began. */
  lost: number;
  /** Assets that came in after the first request, but were there when the process began that read the list to its end. */
  lostInserted: number;
  altered: number;
  /** For each kill: rows behind the last state of their stream. */
  uncovered: number[];
  /** For each kill: those of them that were emitted again. */
  repeats: number[];
  /** Rounds in which the connector said that its place was gone. */
  placesLost: number;
  /** Rows emitted again because of that. */
  readAgain: number;
  /** Rows emitted again that a state covered. */
  unexplained: number;
  /** WARN lines by their words, numbers taken out. */
  warnings: Record<string, number>;
  /** Some of what went wrong, for people. */
  examples: string[];
}

/** Nothing counted yet. */
export function noFigures(): CrashFigures {
  return {
    rounds: 0,
    kills: 0,
    killsInsideLine: 0,
    readsFinished: 0,
    assetCycles: 0,
    rows: 0,
    lost: 0,
    lostInserted: 0,
    altered: 0,
    uncovered: [],
    repeats: [],
    placesLost: 0,
    readAgain: 0,
    unexplained: 0,
    warnings: {},
    examples: [],
  };
}

/** The figures of several worlds as one. */
export function sumFigures(parts: readonly CrashFigures[]): CrashFigures {
  const sum = noFigures();
  for (const part of parts) {
    sum.rounds += part.rounds;
    sum.kills += part.kills;
    sum.killsInsideLine += part.killsInsideLine;
    sum.readsFinished += part.readsFinished;
    sum.assetCycles += part.assetCycles;
    sum.rows += part.rows;
    sum.lost += part.lost;
    sum.lostInserted += part.lostInserted;
    sum.altered += part.altered;
    sum.uncovered.push(...part.uncovered);
    sum.repeats.push(...part.repeats);
    sum.placesLost += part.placesLost;
    sum.readAgain += part.readAgain;
    sum.unexplained += part.unexplained;
    for (const [words, count] of Object.entries(part.warnings))
      sum.warnings[words] = (sum.warnings[words] ?? 0) + count;
    sum.examples.push(...part.examples);
  }
  return sum;
}

/** True if no row was lost, altered, or emitted again though a state covered it. */
export function isClean({ lost, lostInserted, altered, unexplained }: CrashFigures): boolean {
  return lost + lostInserted + altered + unexplained === 0;
}

/** The figures as a table, and below it what the connector warned of and examples of what went wrong. */
export function describeFigures(figures: CrashFigures, seed: number): string {
  const repeats = figures.repeats.reduce((sum, count) => sum + count, 0);
  const warnings = Object.entries(figures.warnings).map(([words, count]) => `  ${count} × WARN ${words}`);
  const lines = table([
    ['crash test', 'figure'],
    ['kills', number(figures.kills)],
    ['rounds', number(figures.rounds)],
    ['reads finished', number(figures.readsFinished)],
    ['asset lists read to their end', number(figures.assetCycles)],
    ['kills inside a line', number(figures.killsInsideLine)],
    ['rows emitted', number(figures.rows)],
    ['rows lost', number(figures.lost)],
    ['rows lost that came in during a read', number(figures.lostInserted)],
    ['rows altered', number(figures.altered)],
    ['rows behind the last state, per kill: mean', mean(figures.uncovered)],
    ['rows behind the last state, per kill: max', most(figures.uncovered)],
    ['repeats', number(repeats)],
    ['repeats per kill: mean', mean(figures.repeats)],
    ['repeats per kill: max', most(figures.repeats)],
    ['repeats not explained by the last state', number(figures.unexplained)],
    ['places lost (all rows deleted), said by a WARN', number(figures.placesLost)],
    ['rows read again because of that', number(figures.readAgain)],
    ['seed', String(seed)],
  ]);
  return [...lines, ...warnings, ...figures.examples.slice(0, 10)].join('\n');
}

function mean(counts: readonly number[]): string {
  const sum = counts.reduce((total, count) => total + count, 0);
  return (sum / Math.max(1, counts.length)).toFixed(1);
}

function most(counts: readonly number[]): string {
  return number(Math.max(0, ...counts));
}
