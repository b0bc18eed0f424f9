import { isServerError } from '../api/client.ts';
import { configError, type ConnectorError } from '../errors.ts';
import { BRIEF_ANSWER_MS } from '../limits.ts';
import type { PageRequest } from '../paging/cursor/list.ts';
import { listed, quoted } from '../protocol/messages.ts';
import { isRefusal, type ListName } from './stream.ts';

/** What a page shows of the paging of its list. */
interface Shown {
  readonly rows: readonly unknown[];
  readonly hasCursor: boolean; // its pagination has `nextCursor`, whatever it is
  readonly otherCursors: readonly string[]; // other members that may be the cursor of the next page
}

/** Fewer rows are not cut, and so few may be deleted meanwhile. */
const MIN_ROWS = 4;

/**
 * Returns a check of the pages of a list. Where no page has had a `nextCursor`, it is not known that the list has cursors at all: its
 * first page may be complete, or the only one that is seen. So half of its rows are asked for, once. If no more come, and still no
 * cursor for the others, the check throws PAGES_UNUSABLE. It also does if that does not tell, and the page has a cursor under another name.
 */
export function createCutCheck({ name }: ListName) {
  let isSettled = false;
  return async <P extends Shown>(
    page: P,
    request: PageRequest,
    ask: (request: PageRequest) => Promise<P>,
  ): Promise<void> => {
    isSettled ||= page.hasCursor;
    const { length } = page.rows;
    if (isSettled || request.after !== null || length < MIN_ROWS) return;
    const limit = Math.floor(length / 2);
    const half = await answerTo({ ...request, ...BRIEFLY, limitAfter: () => limit }, ask);
    const found = half?.rows.length ?? 0;
    if (half?.hasCursor === false && found > 0 && found <= limit)
      throw withoutCursor(name, page, `asked for ${limit} of ${length} rows, the server returns ${found}`);
    if (half?.hasCursor !== true && page.otherCursors.length > 0)
      throw withoutCursor(name, page, 'the server returns rows');
    isSettled = true;
  };
}

/** For a request whose failure tells nothing, so that little time is spent on it. */
const BRIEFLY = { sendByMs: null, serverErrorMs: BRIEF_ANSWER_MS, mayBeRefused: true };

/** Requests a page; returns null if the server refuses its limit. */
async function answerTo<P>(
  request: PageRequest,
  ask: (request: PageRequest) => Promise<P>,
): Promise<P | null> {
  try {
    return await ask(request);
  } catch (error) {
    if (isRefusal(error) || isServerError(error)) return null;
    throw error;
  }
}

function withoutCursor(name: string, { otherCursors }: Shown, found: string): ConnectorError {
  const others = otherCursors.length === 0 ? '' : ` but ${listed(otherCursors, quoted)}`;
  return configError(
    'PAGES_UNUSABLE',
    `${name}: ${found}, and metadata.pagination has no "nextCursor"${others}, so pages may follow that cannot be requested. ` +
      'Ask the API\'s provider how the pages of this list are requested: by cursor, only "nextCursor" is supported.',
  );
}
