import { isUtf8 } from 'node:buffer';

import { PAGE } from '../limits.ts';
import type { Row } from '../protocol/row.ts';
import { NONE } from './json-scanner.ts';
import { scanPage } from './scan-page.ts';
import type { PageScan } from './scan-page.ts';

/** One accepted page of a list (API document 2.5). */
export interface Page {
  readonly rows: readonly Row[];
  /** `metadata.pagination` as received; each member may be absent, null or wrong. */
  readonly pagination: Readonly<Record<string, unknown>>;
}

/** The body of a 200 is not a page. It counts as a failed attempt, never as an empty page. */
export class BadPageError extends Error {
  override readonly name = 'BadPageError';
}

/**
 * Accepts a body only whole: valid UTF-8, valid JSON, an `items` array of non-empty objects and a
 * `metadata.pagination` object (API document 2.5).
 *
 * @throws BadPageError that says what is wrong
 */
export function parsePage(body: Buffer): Page {
  if (!isUtf8(body)) throw new BadPageError('the body is not valid UTF-8');
  const page = scanPage(body);
  if (page === null)
    throw new BadPageError(body.length === 0 ? 'the body is empty' : 'the body is not valid JSON');
  const { items, oddItem } = page;
  if (!page.isObject) throw new BadPageError('the body is not a JSON object');
  if (items === undefined) throw new BadPageError('the body has no array `items`');
  const pagination = paginationOf(body, page);
  // a record with empty data is dropped silently by platforms
  if (oddItem !== NONE)
    throw new BadPageError(
      oddItem === PAGE.mostItems
        ? `the page has more than ${PAGE.mostItems} items`
        : `items[${oddItem}] is not an object with fields`,
    );
  return { rows: items, pagination };
}

function paginationOf(body: Buffer, { pagination }: PageScan): Page['pagination'] {
  const [start, end] = pagination ?? [0, 0];
  if (end - start > PAGE.mostPaginationBytes)
    throw new BadPageError(`\`metadata.pagination\` is larger than ${PAGE.mostPaginationBytes} bytes`);
  const value: unknown = pagination === undefined ? null : JSON.parse(body.toString('utf8', start, end));
  if (!isObject(value)) throw new BadPageError('the body has no object `metadata.pagination`');
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
