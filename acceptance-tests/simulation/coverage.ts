import { ANSWERS, type DimensionName } from './answers.ts';
import type { Scenario } from './scenario.ts';
import type { Matters } from './simulated-list.ts';

/** Seeds after which each answer must have made a difference. */
export const ENOUGH_SEEDS = 2000;

/** In how many seeds each answer was drawn, and in how many it made a difference, as `dimension: answer`. */
export type Coverage = Record<string, readonly [drawn: number, mattered: number]>;

/** Records which answers of a scenario make a difference while its reads run. */
export function createTally({ drawn, runs }: Scenario) {
  const tally: Coverage = {};
  for (const draws of [drawn, ...runs.map((run) => run.drawn)])
    for (const [name, answer] of Object.entries(draws)) tally[`${name}: ${answer}`] = [1, 0];
  const ofRun = new Set<DimensionName>();
  const matters: Matters = (name, answer) => {
    if (answer === undefined) ofRun.add(name);
    else tally[`${name}: ${answer}`] = [1, 1];
  };
  /** Ends a read: the answers that made a difference were drawn for it or for the whole scenario. */
  const endRun = (draws: Scenario['drawn']): void => {
    for (const name of ofRun) tally[`${name}: ${draws[name] ?? drawn[name]}`] = [1, 1];
    ofRun.clear();
  };
  return { tally, matters, endRun };
}

/** Adds the coverage of other seeds. */
export function addCoverage(coverage: Coverage, other: Coverage): void {
  for (const [answer, [drawn, mattered]] of Object.entries(other)) {
    const [draws, matters] = coverage[answer] ?? [0, 0];
    coverage[answer] = [draws + drawn, matters + mattered];
  }
}

/** The answers in the order of the table; the first one of each dimension is the baseline. */
const NAMES = Object.entries(ANSWERS).flatMap(([name, answers]) =>
  answers.map(({ weight, answer }, at) => ({ name: `${name}: ${answer}`, weight, isBaseline: at === 0 })),
);

export function coverageTable(coverage: Coverage): string {
  const lines = NAMES.map(({ name, isBaseline }) => {
    const [drawn, mattered] = coverage[name] ?? [0, 0];
    return `${name.padEnd(56)} ${String(drawn).padStart(8)} ${isBaseline ? '' : String(mattered).padStart(8)}`;
  });
  return ['answer'.padEnd(56) + '    drawn  mattered', ...lines].map((line) => line.trimEnd()).join('\n');
}

/** Cursors are replaced before they expire, and never used by another read, so these matter in few seeds or none. */
const RARE = ['expiredCursor', 'cursorScope'];

/** The answers that never made a difference; none if the seeds are too few. */
export function idleAnswers(coverage: Coverage, seeds: number): readonly string[] {
  if (seeds < ENOUGH_SEEDS) return [];
  const others = NAMES.filter(
    ({ name, weight, isBaseline }) =>
      weight > 0 && !isBaseline && !RARE.some((dimension) => name.startsWith(`${dimension}: `)),
  );
  return others.map(({ name }) => name).filter((name) => !coverage[name]?.[1]);
}
