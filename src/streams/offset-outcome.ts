import { configError, transientError } from '../errors.ts';
import type { OffsetListConfig } from '../generated/config.generated.ts';
import type { OffsetOutcome } from '../paging/offset/algorithm.ts';
import { limitMessage, type NamedList } from '../paging/offset/explain.ts';
import { counted, grouped, quoted } from '../protocol/messages.ts';

/** How short the config allows a list to be. */
export type CompletenessRules = Pick<OffsetListConfig, 'missing_rows' | 'min_rows'>;

/** What a finished read found. */
export interface Found extends OffsetOutcome {
  readonly list: NamedList;
  readonly key: string; // the field that identifies rows
  readonly hasKeyless: boolean; // some rows lack it, and were identified by their text
}

/** Decides whether a finished read is complete, according to the list and the config. */
export function judgeCompleteness(
  {
    rows,
    expected,
    limitedAt,
    hasClash,
    repeatedLines,
  }: Pick<Found, 'rows' | 'expected' | 'limitedAt' | 'hasClash' | 'repeatedLines'>,
  { missing_rows: missing, min_rows: minRows }: CompletenessRules,
) {
  // if the total is exact, rows with the same key are versions of one row
  const isShort = limitedAt !== null || rows + repeatedLines < expected || (hasClash && rows !== expected);
  if (isShort && missing === 'fail') return limitedAt === null ? 'ROWS_MISSING' : 'OFFSET_LIMITED';
  if (rows < minRows) return 'TOO_FEW_ROWS';
  if (isShort) return 'short, as allowed';
  return rows === 0 ? 'empty' : 'complete';
}

/** The error of a finished read that is not complete; null if it is. */
export function incompleteError(found: Found, rules: CompletenessRules): Error | null {
  const { rows, expected, limitedAt, hasClash, reordered, list } = found;
  const { name, place } = list;
  const verdict = judgeCompleteness(found, rules);
  const cause =
    reordered > 0
      ? `${orderChanged(found)} ${orderAdvice(place)}`
      : 'The service may have returned only a part of the list, or the order of the list changed while it was read: try again later.';
  const missing =
    `${name}: ${shortfall(found)} ${cause} If totalCount counts something other than the rows of this list, set ` +
    `${place}.missing_rows to "warn".`;
  const clash =
    `${name}: ${shortfall(found)} If you added this list, set ${place}.id_field to a field with unique values; otherwise, ask the API's provider ` +
    `for unique values. To accept losing the other rows, set ${place}.missing_rows to "warn".`;
  const tooFew = `${name}: ${tooFewRows('the read found', rows, place, rules.min_rows)}`;
  if (verdict === 'ROWS_MISSING') return transientError(verdict, hasClash ? clash : missing, null);
  if (verdict === 'TOO_FEW_ROWS') return transientError(verdict, tooFew, null);
  if (verdict !== 'OFFSET_LIMITED') return null;
  return configError(verdict, `${name}: ${limitMessage(limitedAt ?? rows, expected, place, found.refusal)}`);
}

/** Says that a list has fewer rows than the config demands. */
export function tooFewRows(seen: string, rows: number, place: string, minRows: number): string {
  return (
    `${seen} ${counted(rows, 'row', 'rows')}, fewer than ${place}.min_rows (${minRows}). Check what the service lists for this ` +
    'credential; lower min_rows if the list may be that short.'
  );
}

/** Returns warnings about a finished read. */
export function completenessWarnings(found: Found, rules: CompletenessRules): readonly string[] {
  const { rows, expected, maxTotal, isTotalSteady, limitedAt, refusedAt, key, hasKeyless, list } = found;
  const { repeatedLines } = found;
  const verdict = judgeCompleteness(found, rules);
  const short =
    limitedAt === null ? shortfall(found) : limitMessage(limitedAt, expected, list.place, found.refusal);
  const keyless =
    `some rows have no ${quoted(key)} that is a string or a number. They are identified by their text: identical rows are emitted once, ` +
    'and a row that changes while it is read may be repeated.';
  const more =
    `${counted(rows, 'distinct row was', 'distinct rows were')} emitted, but the list never stated more than ${grouped(maxTotal ?? 0)}: ` +
    `totalCount counts something else, or different values of ${quoted(key)} belong to one row, which is then repeated.`;
  const lines =
    `${counted(repeatedLines, 'line of the list repeats a row', 'lines of the list repeat rows')} of the same page. Each row is emitted once; ` +
    'a total that counts the lines is taken as reached.';
  const reordering = `${orderChanged(found)} Rows may be missing or, after an interruption, repeated. ${orderAdvice(list.place)}`;
  const refused = `the server refuses offset ${refusedAt} and states no total: unless that is the end of the list, later rows are missing.`;
  return [
    ...(verdict === 'short, as allowed' ? [short] : []),
    ...(verdict === 'empty' ? ['the list is empty.'] : []),
    ...(hasKeyless ? [keyless] : []),
    ...(isTotalSteady && maxTotal !== null && rows > maxTotal ? [more] : []),
    ...(refusedAt !== null && maxTotal === null ? [refused] : []),
    ...(repeatedLines > 0 && rows < expected ? [lines] : []),
    ...(hasNewOrder(found) ? [reordering] : []),
  ];
}

/** True if rows changed their order while they were read, so that some may be missing; not if a steady total was reached exactly. */
export function hasNewOrder({ reordered, isTotalSteady, maxTotal, rows }: Found): boolean {
  return reordered > 0 && !(isTotalSteady && maxTotal === rows);
}

function orderChanged({ reordered }: Found): string {
  return (
    `Rows changed their order while the list was read (seen on ${counted(reordered, 'page', 'pages')}): the service seems to sort rows with ` +
    'equal values in another order in each request.'
  );
}

function orderAdvice(place: string): string {
  return (
    `Set a larger ${place}.page_size, which leaves fewer places at which that matters, and ask the API's provider to sort by a unique field ` +
    'last.'
  );
}

function shortfall({ rows, expected, passes, key, hasClash }: Found): string {
  const found = `${counted(rows, 'distinct row was', 'distinct rows were')} found in ${counted(passes, 'pass', 'passes')}`;
  return hasClash
    ? `${found}, but different rows of one page have the same ${quoted(key)}: only the first of them is emitted.`
    : `the list states ${counted(expected, 'row', 'rows')}, but ${found}. Rows with the same ${quoted(key)}, or with the same text if they ` +
        'have none, count as one.';
}
