// Texts about reads of lists of both kinds.
import type { SizeEvent } from '../../paging/page-size.ts';
import { counted, quoted } from '../../protocol/messages.ts';

/** A line of the log. */
export interface Message {
  readonly level: 'info' | 'warn';
  readonly text: string;
}

export const info = (text: string): Message => ({ level: 'info', text });
export const warn = (text: string): Message => ({ level: 'warn', text });

/** The warning about a state of another kind of list. */
export const OTHER_PAGING = warn(
  'the state was written when this list was paged in another way, so the list is read from its start, and rows that were emitted are repeated.',
);

/** Ends the message about a server that fails at an offset each time, after it has shown the rows before; begins with a blank. */
export function mayBeLimitedText(offset: number): string {
  return (
    ` If it fails each time from offset ${offset} on, the service may limit how far the list can be read, whatever the page size: ask the ` +
    "API's provider."
  );
}

/** Returns what to say about the size of pages. */
export function sizeMessage({ kind, failed, limit }: SizeEvent, place: string): Message {
  const larger = failed === null ? 'pages without a limit' : `pages of ${counted(failed, 'row', 'rows')}`;
  const fewer = limit === null ? 'as many rows as the server chooses' : counted(limit, 'row', 'rows');
  const texts = {
    worked:
      `a request for ${fewer} succeeded after ${larger} had failed; the next one is for as many as before. If this happens in each run, set ` +
      `${place}.page_size to ${limit}`,
    stays:
      `${larger} fail, and requests for ${fewer} succeed, so the rest of the list is read with them. Set ${place}.page_size to ${limit} to ` +
      'begin with that size.',
    'full again': `pages of ${failed} rows fail from time to time too, so their size is not the reason: requesting ${fewer} again`,
  };
  return { level: kind === 'stays' ? 'warn' : 'info', text: texts[kind] };
}

/** The WARN about a value that different rows have; `place` is the list in the config, and `isFixed` if its key cannot be configured. */
export function repeatedKeyWarning(value: string, key: string, effect: string, place: string | null): string {
  const [where, cure] =
    place === null
      ? ['', "ask the API's provider for unique values"]
      : [` (${place}.id_field)`, `correct ${place}.id_field; check proposes fields`];
  return (
    `different rows have the value ${quoted(value)} in ${quoted(key)}${where}. ${effect} If they are not versions of one row, ${quoted(key)} does ` +
    `not identify rows: ${cure}.`
  );
}
