import { configError, transientError } from '../errors.ts';
import { limitWords } from '../paging/offset-guard.ts';
import type { OffsetOutcome } from '../paging/offset-read.ts';

/** What the config says about a list that is shorter than expected. */
export interface CompletenessRules {
  readonly missing_rows: 'fail' | 'warn';
  readonly min_rows: number;
}

/** What a finished read found. */
export interface Found extends OffsetOutcome {
  /** The field by which rows are known, and whether some were known by their text, having none. */
  readonly key: string;
  readonly hasKeyless: boolean;
  /** Where the config describes the list. */
  readonly place: string;
}

/** Whether a finished read is complete, as far as the list and the config tell. */
export function judgeCompleteness(
  { rows, expected, limitedAt }: Pick<Found, 'rows' | 'expected' | 'limitedAt'>,
  { missing_rows: missing, min_rows: minRows }: CompletenessRules,
) {
  if (rows < expected && missing === 'fail') return limitedAt === null ? 'ROWS_MISSING' : 'OFFSET_LIMITED';
  if (rows < minRows) return 'TOO_FEW_ROWS';
  if (rows < expected) return 'short, as allowed';
  return rows === 0 ? 'empty' : 'complete';
}

/** The error of a finished read that is not complete; null if it is. */
export function incompleteError(found: Found, rules: CompletenessRules): Error | null {
  const { rows, expected, limitedAt, place } = found;
  const verdict = judgeCompleteness(found, rules);
  const missing =
    `${shortfall(found)} The service may have answered with a part of the list, or the list does not keep its order ` +
    'while it is read: try again later. If totalCount counts something else than the rows of this list, set ' +
    `${place}.missing_rows to "warn".`;
  const tooFew =
    `${rows} rows were found, fewer than ${place}.min_rows (${rules.min_rows}). Check what the service lists for this ` +
    'credential; lower min_rows if the list may be that short.';
  if (verdict === 'ROWS_MISSING') return transientError(verdict, missing, null);
  if (verdict === 'TOO_FEW_ROWS') return transientError(verdict, tooFew, null);
  return verdict === 'OFFSET_LIMITED' ? configError(verdict, limitWords(limitedAt ?? rows, expected)) : null;
}

/** What a person should know of a finished read. */
export function completenessWarnings(found: Found, rules: CompletenessRules): readonly string[] {
  const { rows, expected, mostStated, limitedAt, refusedAt, key, hasKeyless } = found;
  const verdict = judgeCompleteness(found, rules);
  const short = limitedAt === null ? shortfall(found) : limitWords(limitedAt, expected);
  const keyless =
    `some rows have no ${key} that is a text or a number. They are known by their text: equal ones are emitted once, and one ` +
    'that changes while it is read may be repeated.';
  const more =
    `${rows} different rows were emitted, and the list never stated more than ${mostStated}: rows without ${key} ` +
    'changed while they were read and are repeated, or rows were deleted meanwhile.';
  const refused = `the server refuses offset ${refusedAt} and states no total: if that is not the end of the list, later rows are missing.`;
  return [
    ...(verdict === 'short, as allowed' ? [short] : []),
    ...(verdict === 'empty' ? ['the list is empty.'] : []),
    ...(hasKeyless ? [keyless] : []),
    ...(hasKeyless && mostStated > 0 && rows > mostStated ? [more] : []),
    ...(refusedAt !== null && mostStated === 0 ? [refused] : []),
  ];
}

function shortfall({ rows, expected, passes, key }: Found): string {
  return (
    `the list states ${expected} rows; ${rows} different ones were found in ${passes === 1 ? '1 pass' : `${passes} passes`}. ` +
    `Rows with the same ${key}, or with the same text if they have none, count as one.`
  );
}
