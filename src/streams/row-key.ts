import { scalarMember, type Row, type Scalar } from '../rows/row.ts';

/** What a key may be: a string or a number, and no empty text. */
export type KeyValue = NonNullable<Scalar>;

export function isKeyValue(value: Scalar): value is KeyValue {
  return value !== undefined && value.text !== '';
}

/** Returns the key of a row; undefined if it has none. */
export function keyOf(row: Row, field: string): KeyValue | undefined {
  const value = scalarMember(row, field);
  return isKeyValue(value) ? value : undefined;
}

/** Returns a text that only equal keys have. A number is identified by its digits, and never equals a string. */
export function keyIdentity({ kind, text }: KeyValue): string {
  if (kind === 'number') return `number:${text}`;
  // hashing would replace unpaired surrogates
  return text.isWellFormed() ? `id:${text}` : `escaped:${JSON.stringify(text)}`;
}
