import type { ListName, Scenario } from '../../sandbox/client.ts';
import { compareRows } from '../../support/compare-rows.ts';
import type { Run } from '../../support/run-connector.ts';
import { errors, recordTexts, statuses } from '../../support/run-views.ts';
import type { Ending, Expected } from './fault-expectations.ts';

/** How a stream ended, and what is wrong with that; undefined: nothing. */
export interface Verdict {
  readonly ending: Ending | 'other';
  readonly wrong: string | undefined;
}

/** Judges how a stream of a run ended: with every row exactly, or loudly, with a message that helps. */
export async function judgeStream(
  run: Run,
  world: Scenario,
  stream: ListName,
  expected: Expected,
): Promise<Verdict> {
  const told = errors(run).filter((error) => error.stream_descriptor?.name === stream);
  const rows = await compareRows(recordTexts(run, stream), world.groundTruthRows(stream, {}));
  const last = statuses(run, stream).at(-1);
  const [error] = told;
  const ending = error === undefined ? 'exact' : endingOf(error.failure_type ?? '');
  const faults = [
    expected.endings.includes(ending as Ending) ? '' : `ends with ${ending}`,
    told.length > 1 ? `${told.length} errors` : '',
    rows.doubled === 0 && rows.strange === 0 && (error !== undefined || rows.lost === 0)
      ? ''
      : `rows: ${JSON.stringify(rows)}`,
    last === (error === undefined ? 'COMPLETE' : 'INCOMPLETE') ? '' : `last status ${last}`,
    error === undefined || expected.words.test(error.message)
      ? ''
      : `does not match ${expected.words.source}`,
  ].filter((fault) => fault !== '');
  const wrong =
    faults.length === 0
      ? undefined
      : `${stream}: ${faults.join('; ')}: ${error?.message} (${error?.internal_message})`;
  return { ending, wrong };
}

function endingOf(failureType: string): Ending | 'other' {
  return failureType === 'config_error' || failureType === 'transient_error' ? failureType : 'other';
}
