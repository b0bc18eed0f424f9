import type { OffsetListConfig } from '../generated/config.generated.ts';
import type { OffsetOutcome } from '../paging/offset/outcome.ts';
import type { ListName } from './stream.ts';

/** How short the config allows a list to be. */
export type CompletenessRules = Pick<OffsetListConfig, 'missing_rows' | 'min_rows'>;

/** What a finished read found. */
export interface Found extends Omit<OffsetOutcome<never>, 'stop'> {
  readonly list: ListName;
  readonly key: string; // the field that identifies rows
  readonly hasKeyless: boolean; // some rows lack it, and were identified by their text
}

/** True if the server limits how far the list can be read. If rows change their order, they only seem to be hidden. */
export function isLimited({ limitedAt, reordered }: Pick<Found, 'limitedAt' | 'reordered'>): boolean {
  return limitedAt !== null && reordered === 0;
}

/** Decides whether a finished read is complete, according to the list and the config. */
export function judgeCompleteness(
  {
    rows,
    expected,
    limitedAt,
    hidden,
    hasClash,
    repeatedLines,
    reordered,
  }: Pick<Found, 'rows' | 'expected' | 'limitedAt' | 'hidden' | 'hasClash' | 'repeatedLines' | 'reordered'>,
  { missing_rows: missing, min_rows: minRows }: CompletenessRules,
) {
  // if the total is exact, rows with the same key are versions of one row
  const isMissed = limitedAt !== null || hidden > 0 || rows + repeatedLines < expected;
  const isShort = isMissed || (hasClash && rows !== expected);
  if (isShort && missing === 'fail')
    return isLimited({ limitedAt, reordered }) ? 'OFFSET_LIMITED' : 'ROWS_MISSING';
  if (rows < minRows) return 'TOO_FEW_ROWS';
  if (isShort) return 'short, as allowed';
  return rows === 0 ? 'empty' : 'complete';
}

/** True if only the total at the end of the list shows that rows are missing, because as many were deleted or inserted meanwhile. */
export function isMissingAtEnd({ rows, repeatedLines, expected, hidden, hasClash }: Found): boolean {
  return hidden > 0 && !hasClash && rows + repeatedLines >= expected;
}

/** Returns why rows are missing, as far as the pages show it. */
export function missingCause(found: Found) {
  if (found.reordered > 0) return 'order changed';
  if (isMissingAtEnd(found)) return 'hidden at the end';
  return found.cutsPages ? 'pages end early' : 'unknown';
}

/** True if rows changed their order while they were read, so that some may be missing; not if a steady total was reached exactly. */
export function hasNewOrder({ reordered, isTotalSteady, maxTotal, rows }: Found): boolean {
  return reordered > 0 && !(isTotalSteady && maxTotal === rows);
}
