import { configError, transientError } from '../errors.ts';
import type { OffsetListConfig } from '../generated/config.generated.ts';
import {
  EMPTY_LIST,
  copiesWarning,
  keylessWarning,
  missingRows,
  offsetLimited,
  orderWarning,
  refusedWarning,
  shortfall,
  tooFewRows,
  tooManyWarning,
  unreadable,
  type OffsetFinding,
} from './offset-messages.ts';

/** How short the config allows a list to be. */
export type CompletenessRules = Pick<OffsetListConfig, 'missing_rows' | 'min_rows'>;

type Judged = Pick<OffsetFinding, 'cause' | 'rows' | 'copies' | 'expected' | 'limitedAt' | 'hasClash'>;

/** Decides whether a read is complete, according to the list and the config. */
export function judgeCompleteness(
  { cause, rows, copies, expected, limitedAt, hasClash }: Judged,
  { missing_rows: missing, min_rows: minRows }: CompletenessRules,
) {
  if (cause === 'the list changes too fast') return 'LIST_UNSTABLE';
  if (cause !== null && cause !== 'nothing is shown beyond an offset') return 'PAGES_UNUSABLE';
  const lines = rows + copies;
  // if the total is exact, rows with the same key are versions of one row
  const isShort =
    limitedAt !== null || lines < expected || (hasClash && rows !== expected && lines !== expected);
  if (isShort && missing === 'fail') return limitedAt === null ? 'ROWS_MISSING' : 'OFFSET_LIMITED';
  if (rows < minRows) return 'TOO_FEW_ROWS';
  if (isShort) return 'short, as allowed';
  return rows === 0 ? 'empty' : 'complete';
}

/** The error of a read that is not complete; null if it is. */
export function incompleteError(found: OffsetFinding, rules: CompletenessRules): Error | null {
  const verdict = judgeCompleteness(found, rules);
  const said = (text: string): string => `${found.list.name}: ${text}`;
  if (verdict === 'LIST_UNSTABLE') return transientError(verdict, said(unreadable(found)), null);
  if (verdict === 'PAGES_UNUSABLE') return configError(verdict, said(unreadable(found)));
  if (verdict === 'OFFSET_LIMITED') return configError(verdict, said(offsetLimited(found)));
  if (verdict === 'ROWS_MISSING') return transientError(verdict, said(missingRows(found)), null);
  if (verdict === 'TOO_FEW_ROWS')
    return transientError(verdict, said(tooFewRows(found, rules.min_rows)), null);
  return null;
}

/** Returns warnings about a finished read. */
export function completenessWarnings(found: OffsetFinding, rules: CompletenessRules): readonly string[] {
  const { rows, copies, maxTotal, isTotalSteady, limitedAt, refusal, keyless, isReordered } = found;
  const verdict = judgeCompleteness(found, rules);
  const isMore = isTotalSteady && maxTotal !== null && rows > maxTotal;
  return [
    ...(verdict === 'short, as allowed'
      ? [limitedAt === null ? shortfall(found) : offsetLimited(found)]
      : []),
    ...(verdict === 'empty' ? [EMPTY_LIST] : []),
    ...(isReordered ? [orderWarning(found)] : []),
    ...(copies > 0 ? [copiesWarning(found)] : []),
    ...(keyless === null ? [] : [keylessWarning(found)]),
    ...(isMore ? [tooManyWarning(found)] : []),
    ...(refusal !== null && maxTotal === null ? [refusedWarning(refusal.offset)] : []),
  ];
}
