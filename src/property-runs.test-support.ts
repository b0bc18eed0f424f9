// Setup of all tests. `npm test` draws the same cases each time; the project `long` draws new ones, and says how to replay a failure.
import { relative } from 'node:path';
import * as fc from 'fast-check';
import { expect } from 'vitest';

type Settings = Readonly<Record<string, string | undefined>>;

/** PROPERTY_SHRINKING=off reports the first failing case, for tools that only need to know whether there is one. */
const { PROPERTY_RUNS: wanted, PROPERTY_SHRINKING: shrinking } = process.env;
/** ms: reports the smallest failing case found by then, since shrinking could take hours; not for the project `long`. */
const MAX_SHRINKING = 250_000;
const FIXED_SEED = 1;

/** True in the project `long`, which runs all cases; elsewhere, fewer cases are run, which still detect almost every fault. */
export const isLong = process.env['TEST_LENGTH'] === 'long';

/** True for tools that only need to know whether a case fails: the first one ends the test. */
export const endsAtFirst = shrinking === 'off';

/** The seed of all properties: that of PROPERTY_SEED, a new one in the project `long`, and a fixed one everywhere else. */
export function propertySeed({ PROPERTY_SEED: given, TEST_LENGTH: length }: Settings): number {
  if (given !== undefined) return Number(given);
  return length === 'long' ? Math.trunc(Math.random() * 2 ** 31) : FIXED_SEED;
}

/** Throws an error with the smallest failing case, if there is one, and the command that replays it. */
function report<T>(details: fc.RunDetails<T>): void {
  if (!details.failed) return;
  const file = relative(process.cwd(), expect.getState().testPath ?? '');
  const project = isLong ? 'long' : 'unit';
  const replay = `replay: PROPERTY_SEED=${details.seed} npx vitest run --project ${project} ${file}`;
  const cause = details.errorInstance;
  throw new Error(`${fc.defaultReportMessage(details)}\n${replay}`, { cause });
}

fc.configureGlobal({
  seed: propertySeed(process.env),
  reporter: report,
  endOnFailure: endsAtFirst,
  ...(isLong ? {} : { interruptAfterTimeLimit: MAX_SHRINKING }),
});

/** Cases that are alike: all of them in the project `long`, and the first ones elsewhere, which stand for the others. */
export function firstOf<const T>(count: number, cases: readonly T[]): readonly T[] {
  return isLong ? cases : cases.slice(0, count);
}

/** The number of cases of a property, given that of the project `long` and the part elsewhere; PROPERTY_RUNS overrides it. */
export function runs(all: number, part = 1 / 20): number {
  return Number(wanted ?? (isLong ? all : Math.ceil(all * part)));
}
