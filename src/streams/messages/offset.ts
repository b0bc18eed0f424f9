// All texts about reads of lists by offset.
import { duration } from '../../clock.ts';
import { configError, transientError } from '../../errors.ts';
import { LASTING_ANSWER_MS } from '../../limits.ts';
import type { Stop } from '../../paging/offset/explain.ts';
import { alignedReach } from '../../paging/offset/requests.ts';
import type { Notice } from '../../paging/offset/run.ts';
import { counted, grouped, listed, quoted } from '../../protocol/messages.ts';
import { scalarMembers, type Row } from '../../rows/row.ts';
import {
  hasNewOrder,
  isLimited,
  isMissingAtEnd,
  judgeCompleteness,
  missingCause,
  type CompletenessRules,
  type Found,
} from '../offset-outcome.ts';
import { keyOf } from '../row-key.ts';
import type { ListName } from '../stream.ts';
import { repeatedKeyWarning } from './lists.ts';

const MERGED = 'Only the first row of a page with it is emitted.';

/** The warning about a state of a read that failed. */
export const STARTS_OVER =
  'the last read did not find all rows, so the list is read again from the start, and the rows that were emitted are repeated.';

const NOTICES: Readonly<Record<Exclude<Notice<Row>['kind'], 'clash'>, string>> = {
  'the place is gone':
    'the rows at which the last read stopped are gone from the list, so it is read again from the start, and rows that were emitted are repeated.',
  'the head is gone':
    'the rows at which the last read began are not on the first page any more, so rows that it emitted may be repeated.',
  'rows were inserted before the place':
    'the list has rows before the place at which the last read stopped that were not there, so rows that it emitted may be repeated.',
  'read again':
    'fewer rows were found than the list states, so it is read again from the start, and rows of the interrupted read are repeated.',
};

/** Returns the warning about what happens in a read. `place`: of the list in the config; null for a list that cannot be configured. */
export function noticeText(notice: Notice<Row>, key: string, place: string | null): string {
  if (notice.kind !== 'clash') return NOTICES[notice.kind];
  return repeatedKeyWarning(keyOf(notice.row, key)?.text ?? '', key, MERGED, place);
}

/** Says how many rows are requested after the server has refused to return more. */
export function refusedSizeText(next: number): string {
  return `the server refused the page size; trying ${next} rows`;
}

/** Returns the error of a read that did not reach the end of the list. */
export function stopError(
  stop: Stop & { readonly lastPage: readonly Row[] },
  { name, place }: ListName,
  key: string,
): Error {
  const what = `${name}: ${sightOf(stop)}.`;
  const keyless = unrecognizable(stop.lastPage, key);
  const byCursor = stop.hasCursor
    ? ' The pages have a nextCursor: if the list is paged by cursor, describe it in lists with paging "cursor".'
    : '';
  const unusable = (problem: string): Error => configError('PAGES_UNUSABLE', `${what} ${problem}${byCursor}`);
  if (stop.cause === 'rows cannot be recognized' && keyless !== null) return unusable(keyless);
  if (stop.cause === 'the offset is ignored')
    return unusable(
      `The server returns the first page at all of these offsets, so pages cannot overlap: it ignores the offset. ${droppedAdvice(place)}`,
    );
  if (stop.cause === 'multiples of small pages')
    return unusable(smallMultiples(stop.granted, alignedReach(stop.granted), place));
  if (stop.cause === 'one row per page')
    return unusable(
      'The server returns only one row per page, and such pages cannot overlap. Raise ' +
        `${place}.page_size, or ask the API's provider to allow larger pages.`,
    );
  if (stop.cause === 'pages do not continue')
    return unusable(
      'The list showed the same whenever an offset was requested again, but its pages do not continue each other: the server may count the ' +
        "offset in pages instead of rows, or return an empty page wherever a certain row belongs. Ask the API's provider.",
    );
  const noKey = keyless === null ? '' : ` ${keyless}`;
  return transientError(
    'LIST_UNSTABLE',
    `${what} The list changes faster than it can be read. Try again when there is less activity, or with a larger ` +
      `${place}.page_size.${noKey}`,
    null,
  );
}

/** Says why a list of which only multiples of the limit can be requested is not read to its end. */
export function smallMultiples(pageRows: number, reach: number, place: string): string {
  return (
    `The server takes only multiples of the limit as offsets, and returns at most ${counted(pageRows, 'row', 'rows')} per page: beyond row ` +
    `${grouped(reach)}, such pages cannot overlap. Raise ${place}.page_size, or ask the API's provider to allow any offset or larger pages.`
  );
}

function droppedAdvice(place: string): string {
  return (
    `Check ${place}.base_url and any proxy on the way (it may drop the query); otherwise the API's ` +
    'provider must fix it.'
  );
}

/** What was seen: how many pages, at which offsets, and the totals. */
function sightOf({ pages, size, total, offsets }: Stop): string {
  const stated = total === null ? 'no total is stated' : `the list states ${counted(total, 'row', 'rows')}`;
  return (
    `${counted(pages, 'page', 'pages')} did not reach the end of the list (${counted(size, 'row', 'rows')} found, ` +
    `${stated}, the latest offsets are from ${Math.min(...offsets)} to ${Math.max(...offsets)})`
  );
}

/** Explains why rows cannot be recognized in another response; null if all of them have a key. */
export function unrecognizable(rows: readonly Row[], key: string): string | null {
  const row = rows.find((one) => keyOf(one, key) === undefined);
  if (row === undefined) return null;
  return (
    `Rows of one page were not found again in the next, and have no ${quoted(key)} (a string or number) by which to recognize them after a ` +
    `change (they have ${listed([...scalarMembers(row, 10).keys()], quoted)}). The API's provider must send ${quoted(key)} with each row.`
  );
}

/** The error of a finished read that is not complete; null if it is. */
export function incompleteError(found: Found, rules: CompletenessRules): Error | null {
  const { rows, limitedAt, hasClash, list } = found;
  const { name, place } = list;
  const verdict = judgeCompleteness(found, rules);
  if (verdict === 'OFFSET_LIMITED')
    return configError(verdict, `${name}: ${limitMessage(found, limitedAt ?? rows)}`);
  if (verdict === 'TOO_FEW_ROWS')
    return transientError(
      verdict,
      `${name}: ${tooFewRows('the read found', rows, place, rules.min_rows)}`,
      null,
    );
  if (verdict !== 'ROWS_MISSING') return null;
  return transientError(
    verdict,
    `${name}: ${shortfall(found)} ${hasClash ? clashAdvice(place) : missingAdvice(found)}`,
    null,
  );
}

function clashAdvice(place: string): string {
  return (
    `If you added this list, set ${place}.id_field to a field with unique values; otherwise, ask the API's provider ` +
    `for unique values. To accept losing the other rows, set ${place}.missing_rows to "warn".`
  );
}

function missingAdvice(found: Found): string {
  const { place } = found.list;
  const causes = {
    'order changed': `${orderChanged(found)} ${orderAdvice(place)}`,
    'pages end early':
      'Some pages had fewer rows than requested although more followed: the service seems to leave rows out after it has cut a page, and to ' +
      "count them in the total. Ask the API's provider which rows the list leaves out.",
    'hidden at the end':
      'The total may be out of date: try again later. If it still states more rows then, the service limits how far the list can be read: ask ' +
      "the API's provider to lift this limit.",
    unknown:
      'The total may be out of date, the service may have returned only a part of the list, or the order of the list changed while it was ' +
      'read: try again later.',
  };
  return (
    `${causes[missingCause(found)]} If totalCount counts something other than the rows of this list, set ` +
    `${place}.missing_rows to "warn".`
  );
}

/** Says that a list has fewer rows than the config demands. */
export function tooFewRows(seen: string, rows: number, place: string, minRows: number): string {
  return (
    `${seen} ${counted(rows, 'row', 'rows')}, fewer than ${place}.min_rows (${minRows}). Check what the service lists for this ` +
    'credential; lower min_rows if the list may be that short.'
  );
}

function limitMessage({ expected, maxTotal, list, refusal, beyond }: Found, offset: number): string {
  const said = refusal === null ? '' : ` The server said: ${refusal}`;
  const others =
    refusal === null
      ? ', counts the offset in pages instead of rows, or returns an empty page wherever a certain row belongs'
      : '';
  const total = Math.max(expected, maxTotal ?? 0);
  if (beyond !== null)
    return (
      `the server returns no rows from offset ${offset} on, or none but earlier ones, although rows follow at offset ${beyond}: it leaves rows out of ` +
      `pages after it has cut them, so that a page can be empty. Ask the API's provider which rows the list leaves out. To accept losing the ` +
      `rows after them, set ${list.place}.missing_rows to "warn".${said}`
    );
  if (total === 0)
    return (
      `the server refuses pages that reach beyond row ${grouped(offset)}, also where they begin with rows that it has shown, and states no total: ` +
      `it limits how far the list can be read. Ask the API's provider to lift this limit. To accept that later rows are missing, set ` +
      `${list.place}.missing_rows to "warn".${said}`
    );
  return (
    `the server returns no rows from offset ${offset} on, or none but earlier ones, although it states ${counted(total, 'row', 'rows')}: it limits how far ` +
    `the list can be read${others}. Ask the API's provider to lift this limit. If totalCount counts something other than the rows of this ` +
    `list, set ${list.place}.missing_rows to "warn".${said}`
  );
}

/** Returns warnings about a finished read. */
export function completenessWarnings(found: Found, rules: CompletenessRules): readonly string[] {
  const { rows, expected, maxTotal, isTotalSteady, limitedAt, refusedAt, key, hasKeyless, list } = found;
  const { repeatedLines } = found;
  const verdict = judgeCompleteness(found, rules);
  const short = isLimited(found) ? limitMessage(found, limitedAt ?? rows) : shortfall(found);
  const keyless =
    `some rows have no ${quoted(key)} that is a string or a number. They are identified by their text: identical rows are emitted once, ` +
    'and a row that changes while it is read may be repeated.';
  const more =
    `${counted(rows, 'distinct row was', 'distinct rows were')} emitted, but the list never stated more than ${grouped(maxTotal ?? 0)}: ` +
    `totalCount is out of date or counts something else, or different values of ${quoted(key)} belong to one row, which is then repeated.`;
  const lines =
    `${counted(repeatedLines, 'line of the list repeats a row', 'lines of the list repeat rows')} of the same page. Each row is emitted once; ` +
    'a total that counts the lines is taken as reached.';
  const reordering = `${orderChanged(found)} Rows may be missing or, after an interruption, repeated. ${orderAdvice(list.place)}`;
  const isComplete = verdict === 'complete' || verdict === 'empty';
  const refused = `the server refuses offset ${refusedAt} and states no total: unless that is the end of the list, later rows are missing.`;
  return [
    ...(verdict === 'short, as allowed' ? [short] : []),
    ...(verdict === 'empty' ? ['the list is empty.'] : []),
    ...(hasKeyless ? [keyless] : []),
    ...(isTotalSteady && maxTotal !== null && rows > maxTotal ? [more] : []),
    ...(refusedAt !== null && maxTotal === null ? [refused] : []),
    ...(repeatedLines > 0 && rows < expected ? [lines] : []),
    ...(hasNewOrder(found) ? [reordering] : []),
    ...(isComplete && rows + repeatedLines < found.statedLater ? [statedLaterText(found)] : []),
    ...(isComplete && isTotalSteady && rows !== maxTotal && found.leftOut > 0 ? [leftOutText(found)] : []),
    ...(isComplete && found.hasShrunk ? [shrunkText(found)] : []),
  ];
}

/** What is logged before a list is asked for its total once more. */
export function pauseText({ rows, stated }: { readonly rows: number; readonly stated: number }): string {
  return (
    `the list stated ${counted(stated, 'row', 'rows')}, and ${grouped(rows)} were found: others were deleted, or are hidden for a while. ` +
    `It is asked again in ${duration(LASTING_ANSWER_MS)}`
  );
}

function shrunkText({ rows, maxTotal }: Found): string {
  return (
    `the list stated ${grouped(maxTotal ?? 0)} rows while it was read, but has ${grouped(rows)} now: if so many were not deleted, the service ` +
    'has lost sight of them, as while an index or a replica is rebuilt. Then read again later.'
  );
}

function statedLaterText({ rows, statedLater, expected }: Found): string {
  const said = `${counted(rows, 'distinct row was', 'distinct rows were')} found, but pages behind the first one`;
  const [stated, cause] =
    expected === 0
      ? ['count pages of', 'the service may limit how far the list can be read']
      : [
          'state',
          `the first page states ${grouped(expected)}, and may come from a cache that lacks the newest rows`,
        ];
  return (
    `${said} ${stated} at least ${counted(statedLater, 'row', 'rows')}: ${cause}. Rows may be missing: read again later, and if this is said ` +
    "again, ask the API's provider."
  );
}

function leftOutText({ leftOut }: Found): string {
  return (
    `the service seems to leave out ${counted(leftOut, 'row', 'rows')} at least: pages had fewer rows than requested, and the next ones did not ` +
    "go on where they ended. Rows that are left out of a page after it was cut are on no page. Ask the API's provider which rows the list leaves out."
  );
}

function orderChanged({ reordered, key }: Found): string {
  return (
    `Rows changed their order while the list was read (seen on ${counted(reordered, 'page', 'pages')}): the service seems to sort rows with ` +
    `equal values in another order in each request, to list rows several times, or to give different rows the same ${quoted(key)}.`
  );
}

function orderAdvice(place: string): string {
  return (
    `Set a larger ${place}.page_size, which leaves fewer places at which that matters, and ask the API's provider to sort by a unique field ` +
    'last. If rows share a key, set id_field to a field that identifies them.'
  );
}

function shortfall(found: Found): string {
  const { rows, expected, hidden, passes, key, hasClash } = found;
  if (isMissingAtEnd(found))
    return `the list states ${counted(hidden, 'row', 'rows')} more after the last one that it returns.`;
  const said = `${counted(rows, 'distinct row was', 'distinct rows were')} found in ${counted(passes, 'pass', 'passes')}`;
  return hasClash
    ? `${said}, but different rows of one page have the same ${quoted(key)}: only the first of them is emitted.`
    : `the list states ${counted(expected, 'row', 'rows')}, but ${said}. Rows with the same ${quoted(key)}, or with the same text if they ` +
        'have none, count as one.';
}
