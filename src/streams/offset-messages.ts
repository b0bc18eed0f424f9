// All texts about reads of lists by offset.
import { counted, grouped, listed, quoted } from '../protocol/messages.ts';
import type { OffsetOutcome } from '../paging/offset/outcome.ts';
import type { Repeats } from '../paging/offset/run.ts';

/** The list in messages, and its place in the config, such as `lists[1]`. */
export interface NamedList {
  readonly name: string;
  readonly place: string;
}

/** What messages about a read of an offset list say: what it found, and of which list. */
export interface OffsetFinding extends OffsetOutcome {
  readonly list: NamedList;
  readonly key: string; // the field that identifies rows
  readonly keyless: readonly string[] | null; // the fields of a row without it, which is identified by its text; null if there is none
}

/** Why rows of an offset list may be repeated. */
export const REPEATS: Readonly<Record<Repeats, string>> = {
  'the place is gone':
    'the rows at which the last read stopped are gone from the list, so it is read again from the start, and rows that were emitted are repeated.',
  'rows were inserted before the place':
    'the list has rows before the place at which the last read stopped that were not there, so rows that it emitted may be repeated.',
  'the head is gone':
    'the rows at which the last read began are not on the first page any more, so rows that it emitted may be repeated.',
  'rows are missing':
    'fewer rows were found than the list states, so it is read again from the start, and rows of the interrupted read are repeated.',
};

export const STARTS_OVER =
  'the last read did not find all rows, so the list is read again from the start, and the rows that were emitted are repeated.';

export const EMPTY_LIST = 'the list is empty.';

/** Follows the number of rows in the last line of a read. */
export const ORDER_REMARK = 'order changed, rows may be missing';

const PROVIDER = "ask the API's provider";
const SORT = 'a sort that leaves no ties, such as by created time and then by key';

/** The WARN about rows that changed their order while the list was read. */
export function orderWarning({ list: { place } }: Pick<OffsetFinding, 'list'>): string {
  return (
    'rows changed their order while the list was read, so rows may be missing: rows of one created time, for example, may come in another ' +
    `order on each page. A larger ${place}.page_size helps, and so does ${SORT}: ${PROVIDER} for it.`
  );
}

/** The WARN about lines that show a row of their page again. */
export function copiesWarning({ copies, maxTotal }: Pick<OffsetFinding, 'copies' | 'maxTotal'>): string {
  const counts = maxTotal === null ? '' : ' totalCount is taken to count lines.';
  return (
    `${counted(copies, 'line shows', 'lines show')} a row of the same page again, as a join does. Each row is emitted once.${counts} If the ` +
    `lines should differ, ${PROVIDER}.`
  );
}

/** The WARN about rows that are identified by their text. */
export function keylessWarning({ key }: Pick<OffsetFinding, 'key'>): string {
  return (
    `some rows have no ${quoted(key)} that is a string or a number. They are identified by their text: identical rows are emitted once, ` +
    'and a row that changes while it is read may be repeated.'
  );
}

/** The WARN about more rows than the list ever stated. */
export function tooManyWarning({
  rows,
  maxTotal,
  key,
}: Pick<OffsetFinding, 'rows' | 'maxTotal' | 'key'>): string {
  return (
    `${counted(rows, 'distinct row was', 'distinct rows were')} emitted, but the list never stated more than ${grouped(maxTotal ?? 0)}: ` +
    `totalCount counts something else, or different values of ${quoted(key)} belong to one row, which is then repeated.`
  );
}

/** The WARN about an offset that the server refused, if no total shows whether rows follow it. */
export function refusedWarning(offset: number): string {
  return `the server refuses offset ${offset} and states no total: unless that is the end of the list, later rows are missing.`;
}

/** Fewer rows than the list states, or rows that share a key. */
export function missingRows(found: OffsetFinding): string {
  const { hasClash, isReordered, cutsPages, list } = found;
  const toAccept = `set ${list.place}.missing_rows to "warn"`;
  if (hasClash)
    return (
      `${shortfall(found)} If you added this list, set ${list.place}.id_field to a field with unique values; otherwise, ${PROVIDER} ` +
      `for unique values. To accept losing the other rows, ${toAccept}.`
    );
  const counts = `If totalCount counts something other than the rows of this list, ${toAccept}.`;
  if (isReordered)
    return (
      `${shortfall(found)} Rows changed their order while the list was read. A larger ${list.place}.page_size helps, and so does ${SORT}: ` +
      `${PROVIDER} for it. ${counts}`
    );
  if (cutsPages)
    return (
      `${shortfall(found)} Pages had fewer rows than others although rows followed: the service may leave rows out after it has cut a page, ` +
      `and count them; ${PROVIDER}. ${counts}`
    );
  return (
    `${shortfall(found)} The service may have returned only a part of the list, or the order of the list changed while it was read: try ` +
    `again later. ${counts}`
  );
}

/** Returns how many rows were found, and how many the list states. */
export function shortfall({ rows, expected, passes, key, hasClash }: OffsetFinding): string {
  const found = `${counted(rows, 'distinct row was', 'distinct rows were')} found in ${counted(passes, 'pass', 'passes')}`;
  return hasClash
    ? `${found}, but different rows of one page have the same ${quoted(key)}: only the first of them is emitted.`
    : `the list states ${counted(expected, 'row', 'rows')}, but ${found}. Rows with the same ${quoted(key)}, or with the same text if they ` +
        'have none, count as one.';
}

/** Fewer rows than the config requires. */
export function tooFewRows({ rows, list: { place } }: OffsetFinding, minRows: number): string {
  return (
    `the read found ${counted(rows, 'row', 'rows')}, fewer than ${place}.min_rows (${minRows}). Check what the service lists for this ` +
    'credential; lower min_rows if the list may be that short.'
  );
}

/** A list that the server returns only up to an offset. */
export function offsetLimited({ limitedAt, refusal, maxTotal, list: { place } }: OffsetFinding): string {
  const says = refusal === null ? '' : ` It refuses offset ${refusal.offset} (${refusal.words}).`;
  return (
    `the server returns no rows from offset ${limitedAt ?? 0} on, or none but earlier ones, although it states ` +
    `${counted(maxTotal ?? 0, 'row', 'rows')}: it limits how far the list can be read.${says} Ask the API's provider to lift this limit. If ` +
    `totalCount counts something other than the rows of this list, set ${place}.missing_rows to "warn".`
  );
}

/** A list whose end was not reached. */
export function unreadable(found: OffsetFinding): string {
  const { cause, keyless, seen, refusal, list, key } = found;
  const { place } = list;
  const byCursor = seen.hasCursor
    ? ' The pages have a nextCursor: if the list is paged by cursor, describe it in lists with paging "cursor".'
    : '';
  const noKey = keyless === null ? '' : ` ${unidentifiable(key, keyless)}`;
  const says = refusal === null ? '' : ` The server refused offset ${refusal.offset} (${refusal.words}).`;
  const causes = {
    'rows cannot be recognized': `${noKey.trim()}${byCursor}`,
    'the offset is ignored':
      'The server returns the first page at all of these offsets, so pages cannot overlap: it ignores the offset, or allows only ' +
      `multiples of its own page size. Check ${place}.base_url and any proxy on the way (it may drop the query); otherwise the API's ` +
      `provider must fix it.${byCursor}`,
    'one row per page':
      'The server returns only one row per page, and such pages cannot overlap. Raise ' +
      `${place}.page_size, or ask the API's provider to allow larger pages.${byCursor}`,
    'offsets are multiples of small pages':
      `The server takes only multiples of the limit as offsets, and pages of ${counted(seen.granted, 'row', 'rows')} cannot overlap ` +
      `everywhere. Raise ${place}.page_size, or ask the API's provider to allow any offset.${byCursor}`,
    'the list changes too fast':
      `The list changes faster than it can be read.${says} Try again when there is less activity, or with a larger ` +
      `${place}.page_size.${noKey}`,
  };
  const why = cause === null || cause === 'nothing is shown beyond an offset' ? '' : causes[cause];
  return `${sight(found)}. ${why}`;
}

/** Explains why rows cannot be recognized in another response. */
function unidentifiable(key: string, fields: readonly string[]): string {
  return (
    `Rows of one page were not found again in the next, and have no ${quoted(key)} (a string or number) by which to recognize them after a ` +
    `change (they have ${listed(fields, quoted)}). The API's provider must send ${quoted(key)} with each row.`
  );
}

/** What was seen: how many pages, at which offsets, and the totals. */
function sight({ seen: { pages, found, offsets, total } }: OffsetFinding): string {
  const stated =
    total === undefined ? 'no total is stated' : `the list states ${counted(total, 'row', 'rows')}`;
  return (
    `${counted(pages, 'page', 'pages')} did not reach the end of the list (${counted(found, 'row', 'rows')} found, ` +
    `${stated}, the latest offsets are from ${offsets[0]} to ${offsets[1]})`
  );
}
