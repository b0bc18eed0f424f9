import { takes, takesText } from './declared-column.ts';
import type { DeclaredColumn } from './declared-column.ts';
import { numberKind, numbersIn } from './number-kinds.ts';
import { isUtcTime } from './utc-time.ts';

/** Significant digits that a double keeps of any decimal. */
const SURE_DIGITS = 15;
/** Digits behind the point in the decimals of 38 digits that loaders make of numbers. */
const MOST_FRACTION = 9;
const LONG = 'holds numbers with more digits than loaders keep that work with floating point';

/** How the words of a value that contradicts its schema begin. */
export const IS_DECLARED = 'is declared';

/**
 * What a loader may cut, move or refuse of a value in a column, in words that hold nothing of the value; null if nothing.
 * `json` is the value's exact text.
 */
export function valueFault(column: DeclaredColumn, json: string): string | null {
  switch (json.charAt(0)) {
    case 'n':
      return null;
    case '"':
      return textFault(column, json);
    case '{':
      return takes(column, 'object') ? insideFault(json) : contradiction(column, 'an object');
    case '[':
      return takes(column, 'array') ? insideFault(json) : contradiction(column, 'an array');
    case 't':
    case 'f':
      return takes(column, 'boolean') ? null : contradiction(column, 'a boolean');
    default:
      return numberFault(column, json);
  }
}

function contradiction({ types }: DeclaredColumn, found: string): string {
  return `${IS_DECLARED} ${types?.join(' or ') ?? ''} and holds ${found}`;
}

function textFault(column: DeclaredColumn, json: string): string | null {
  if (!takesText(column)) return contradiction(column, 'a text');
  if (column.time === null) return null;
  const text = JSON.parse(json) as string;
  // times without a zone have no format, but loaders make times of them where a catalog says so
  if (isUtcTime(text) || (column.time === 'zoneless' && isUtcTime(`${text}Z`))) return null;
  const isTime = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text);
  return contradiction(
    column,
    isTime ? 'a time that is not in UTC, or finer than a microsecond' : 'a text that is no such time',
  );
}

function numberFault(column: DeclaredColumn, text: string): string | null {
  const kind = numberKind(text);
  const fits = takes(column, 'number', 'integer') && (kind === 'integer' || !column.isInteger);
  if (!fits) {
    const whole = kind === 'integer' ? 'an integer' : 'an integer beyond 64 bits';
    return contradiction(column, isWhole(text) ? whole : 'a decimal or an exponent');
  }
  if (kind === 'great' && !takesText(column))
    return contradiction(column, 'a number beyond the range of decimals of 38 digits');
  if (isLong(text)) return LONG;
  return fractionDigits(text) > MOST_FRACTION && !takesText(column)
    ? `holds decimals with more than ${MOST_FRACTION} digits behind the point`
    : null;
}

function insideFault(json: string): string | null {
  for (const { text } of numbersIn(json)) if (isLong(text)) return LONG;
  return null;
}

/** True if a number is written without a fraction and an exponent. */
function isWhole(text: string): boolean {
  return /^-?\d+$/.test(text);
}

/** True if a double does not keep a number as it is written; integers are kept whole, however long. */
function isLong(text: string): boolean {
  if (isWhole(text)) return false;
  const digits = significantDigits(text);
  const value = Number(text);
  return digits > SURE_DIGITS || !Number.isFinite(value) || (value === 0 && digits > 0);
}

function significantDigits(text: string): number {
  return mantissaOf(text).replace('.', '').replace(/^0+/, '').replace(/0+$/, '').length;
}

/** Digits that stand behind the point when a number is written without an exponent. */
function fractionDigits(text: string): number {
  if (significantDigits(text) === 0) return 0;
  const [whole = '', fraction = ''] = mantissaOf(text).split('.');
  const digits = whole + fraction;
  const zeros = digits.length - digits.replace(/0+$/, '').length;
  return fraction.length - zeros - Number(/[eE](.+)$/.exec(text)?.[1] ?? 0);
}

function mantissaOf(text: string): string {
  return text.replace(/^-/, '').replace(/[eE].*$/, '');
}
