import { configError, transientError } from '../errors.ts';
import type { OffsetListConfig } from '../generated/config.generated.ts';
import { limitMessage } from '../paging/offset-guard.ts';
import type { OffsetOutcome } from '../paging/offset-read.ts';
import { counted } from '../protocol/messages.ts';

/** How short the config allows a list to be. */
export type CompletenessRules = Pick<OffsetListConfig, 'missing_rows' | 'min_rows'>;

/** What a finished read found. */
export interface Found extends OffsetOutcome {
  readonly key: string; // the field that identifies rows
  readonly hasKeyless: boolean; // some rows lack it, and were identified by their text
  readonly place: string; // where the config describes the list
}

/** Decides whether a finished read is complete, according to the list and the config. */
export function judgeCompleteness(
  { rows, expected, limitedAt, hasClash }: Pick<Found, 'rows' | 'expected' | 'limitedAt' | 'hasClash'>,
  { missing_rows: missing, min_rows: minRows }: CompletenessRules,
) {
  // if the total is exact, rows with the same key are versions of one row
  const isShort = rows < expected || (hasClash && rows !== expected);
  if (isShort && missing === 'fail') return limitedAt === null ? 'ROWS_MISSING' : 'OFFSET_LIMITED';
  if (rows < minRows) return 'TOO_FEW_ROWS';
  if (isShort) return 'short, as allowed';
  return rows === 0 ? 'empty' : 'complete';
}

/** The error of a finished read that is not complete; null if it is. */
export function incompleteError(found: Found, rules: CompletenessRules): Error | null {
  const { rows, expected, limitedAt, hasClash, place } = found;
  const verdict = judgeCompleteness(found, rules);
  const missing =
    `${shortfall(found)} The service may have returned only a part of the list, or the order of the list changed ` +
    'while it was read: try again later. If totalCount counts something other than the rows of this list, set ' +
    `${place}.missing_rows to "warn".`;
  const clash =
    `${shortfall(found)} If you added this list, set its id_field to a field with unique values; otherwise, ask the API's provider ` +
    `for unique values. To accept losing the other rows, set ${place}.missing_rows to "warn".`;
  const tooFew =
    `the read found ${counted(rows, 'row', 'rows')}, fewer than ${place}.min_rows (${rules.min_rows}). Check what the service lists for this ` +
    'credential; lower min_rows if the list may be that short.';
  if (verdict === 'ROWS_MISSING') return transientError(verdict, hasClash ? clash : missing, null);
  if (verdict === 'TOO_FEW_ROWS') return transientError(verdict, tooFew, null);
  if (verdict !== 'OFFSET_LIMITED') return null;
  return configError(verdict, limitMessage(limitedAt ?? rows, expected));
}

/** Returns warnings about a finished read. */
export function completenessWarnings(found: Found, rules: CompletenessRules): readonly string[] {
  const { rows, expected, maxStated, limitedAt, refusedAt, key, hasKeyless } = found;
  const verdict = judgeCompleteness(found, rules);
  const short = limitedAt === null ? shortfall(found) : limitMessage(limitedAt, expected);
  const keyless =
    `some rows have no ${key} that is a string or a number. They are identified by their text: identical rows are emitted once, ` +
    'and a row that changes while it is read may be repeated.';
  const more =
    `${rows} distinct rows were emitted, but the list never stated more than ${maxStated}: rows without ${key} changed during ` +
    'the read and were repeated, or rows were deleted in the meantime.';
  const refused = `the server refuses offset ${refusedAt} and states no total: unless that is the end of the list, later rows are missing.`;
  return [
    ...(verdict === 'short, as allowed' ? [short] : []),
    ...(verdict === 'empty' ? ['the list is empty.'] : []),
    ...(hasKeyless ? [keyless] : []),
    ...(hasKeyless && maxStated > 0 && rows > maxStated ? [more] : []),
    ...(refusedAt !== null && maxStated === 0 ? [refused] : []),
  ];
}

function shortfall({ rows, expected, passes, key, hasClash }: Found): string {
  const found = `${counted(rows, 'distinct row was', 'distinct rows were')} found in ${counted(passes, 'pass', 'passes')}`;
  return hasClash
    ? `${found}, but different rows of one page have the same ${key}: only the first of them is emitted.`
    : `the list states ${counted(expected, 'row', 'rows')}, but ${found}. Rows with the same ${key}, or with the same text if they ` +
        'have none, count as one.';
}
