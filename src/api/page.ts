import { isUtf8 } from 'node:buffer';

import type { Row } from '../protocol/row.ts';
import { scanItems } from './scan-items.ts';

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
  const document = parseJson(body);
  if (!isObject(document)) throw new BadPageError('the body is not a JSON object');
  const items = document['items'];
  if (!Array.isArray(items)) throw new BadPageError('the body has no array `items`');
  const metadata = document['metadata'];
  const pagination = isObject(metadata) ? metadata['pagination'] : undefined;
  if (!isObject(pagination)) throw new BadPageError('the body has no object `metadata.pagination`');
  const ranges = scanItems(body);
  if (ranges === null || ranges.length !== items.length)
    throw new BadPageError('the text of `items` is ambiguous');
  const rows = ranges.map(({ start, end }, index): Row => {
    const value: unknown = items[index];
    // a record with empty data is dropped silently by platforms
    if (!isObject(value) || isEmpty(value))
      throw new BadPageError(`items[${index}] is not an object with fields`);
    return { bytes: body, start, end, value };
  });
  return { rows, pagination };
}

function parseJson(body: Buffer): unknown {
  const text = body.toString('utf8');
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    throw new BadPageError(body.length === 0 ? 'the body is empty' : 'the body is not valid JSON');
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}
