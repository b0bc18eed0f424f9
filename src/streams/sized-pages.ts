import { limitAfter, noteReceived, pageSizeOf, type Limit } from '../paging/page-size.ts';
import { sizeMessage, type Message } from './messages/lists.ts';
import type { ListName } from './stream.ts';

/** Returns the rows to request once a page has failed so many times in a way that fewer rows may avoid. */
export type LimitAfter<L extends Limit> = (failures: number) => L | number;

/** What is received in answer to a request for rows. */
interface SizedPage {
  readonly rows: readonly unknown[];
  readonly failures: number; // before it
}

/**
 * Returns a function that requests pages of a list at any place, with fewer rows if those that it is asked for fail. `say` gets what a
 * user should know.
 */
export function createSizedPages(
  { place }: ListName,
  configured: Limit,
  say: (message: Message) => Promise<void>,
) {
  let size = pageSizeOf(configured);
  return async <P extends SizedPage, L extends Limit>(
    rows: L,
    request: (limitAfter: LimitAfter<L>) => Promise<P>,
  ): Promise<P & { readonly limit: L | number }> => {
    const sizeAtStart = size;
    const { full } = sizeAtStart;
    const asked = full === null || (rows !== null && rows <= full) ? rows : full;
    const page = await request((failures) => limitAfter(sizeAtStart, asked, failures));
    const limit = limitAfter(sizeAtStart, asked, page.failures);
    const { failures } = page;
    const noted = noteReceived(size, {
      sizeAtStart,
      asked,
      limit,
      failures,
      rows: page.rows.length,
      isNews: true,
    });
    ({ size } = noted);
    if (noted.event !== null) await say(sizeMessage(noted.event, place));
    return { ...page, limit };
  };
}
