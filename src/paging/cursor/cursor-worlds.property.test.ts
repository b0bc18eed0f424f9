import { describe, expect, test } from 'vitest';
import { endsAtFirst, isLong } from '../../property-runs.test-support.ts';
import { runWorld, type WorldResult } from './model-runs.fake.ts';

/** Worlds, by seed. Another range is run with CURSOR_WORLDS, such as 100000-120000; a single one prints a trace. */
const [FROM = 0, TO = isLong ? 12_000 : 300] = (process.env['CURSOR_WORLDS'] ?? '')
  .split('-')
  .filter(Boolean)
  .map(Number);

/** Requests of the reads of a world on average; outages, dead cursors and kills are frequent there. */
const MOST_REQUESTS = { 300: 110, 12_000: 133 }[TO - FROM] ?? Infinity;

/** Problems that are reported, at most. */
const MOST = endsAtFirst ? 1 : 200;

/** What must not happen in a world. Where the order of a list breaks late, docs/deviations.md says what may be lost. */
function problemOf(result: WorldResult): string | null {
  const { order, lost, repeated, lostByKeyAlone, error, failed, unexplained } = result;
  if (error !== null) return error;
  if (failed.length > 0) return failed.join(', ');
  const mayLose = order === 'older half last';
  if (!mayLose && lost.length > 0) return `lost ${lost.join(' ')}`;
  if (!mayLose && lostByKeyAlone.length > 0)
    return `lost with created_since alone: ${lostByKeyAlone.join(' ')}`;
  if (unexplained.length > 0) return `without a reason: ${unexplained.join(', ')}`;
  return repeated.length > 0 ? `repeated ${repeated.join(' ')}` : null;
}

describe('a list that is read several times', () => {
  test(`loses and repeats nothing in worlds ${FROM} to ${TO}`, { timeout: 3_600_000 }, async () => {
    const problems: string[] = [];
    let requests = 0;
    for (let seed = FROM; seed < TO && problems.length < MOST; seed++) {
      const lines: string[] = [];
      const result = await runWorld(seed, (line) => lines.push(line));
      const problem = problemOf(result);
      requests += result.requests;
      if (problem !== null)
        problems.push(`CURSOR_WORLDS=${seed}-${seed + 1} (${result.order}, ${result.kind}): ${problem}`);
      if (TO - FROM === 1) problems.push(...(problem === null ? [] : lines));
    }
    expect(problems).toEqual([]);
    expect(requests / (TO - FROM)).toBeLessThan(MOST_REQUESTS);
  });
});
