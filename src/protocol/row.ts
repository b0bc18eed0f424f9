/**
 * One item of a page: a view on the page's bytes, so that a record can leave exactly as the API sent it,
 * beside its parsed value for what paging needs to know (identity, created time).
 */
export interface Row {
  /** The bytes of the whole page, valid UTF-8. */
  readonly bytes: Buffer;
  /** First byte of the item's text in `bytes`. */
  readonly start: number;
  /** First byte behind the item's text. */
  readonly end: number;
  /** The item as JSON.parse reads it: never the source of what is emitted. */
  readonly value: Readonly<Record<string, unknown>>;
}

/** The bytes of the item's text: a view, not a copy. */
export function rowBytes(row: Row): Buffer {
  return row.bytes.subarray(row.start, row.end);
}

/** The item's text exactly as it was received. */
export function rowText(row: Row): string {
  return row.bytes.toString('utf8', row.start, row.end);
}
