import { takes, takesText } from './declared-column.ts';
import type { DeclaredColumn } from './declared-column.ts';
import { numberKind, numbersIn } from './number-kinds.ts';
import { isUtcTime } from './utc-time.ts';

/** Digits behind the point in the decimals of 38 digits that loaders make of numbers. */
const MOST_FRACTION = 9;
const LONG = 'holds numbers of more digits than loaders keep';

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
  if (isWhole(text)) return null;
  return keepsDouble(text) && (takesText(column) || keepsDecimal(text)) ? null : LONG;
}

function insideFault(json: string): string | null {
  for (const { text } of numbersIn(json)) if (!isWhole(text) && !keepsDouble(text)) return LONG;
  return null;
}

/** True if a number is written without a fraction and an exponent. */
function isWhole(text: string): boolean {
  return /^-?\d+$/.test(text);
}

/** True if a double keeps a number: the shortest text of the double is the same number. */
function keepsDouble(text: string): boolean {
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  const [sent, kept] = [partsOf(text), partsOf(String(value))];
  return sent.digits === kept.digits && (sent.digits === '' || sent.power === kept.power);
}

/** True if a decimal keeps a number that comes to it as a double: loaders multiply by a power of ten and round. */
function keepsDecimal(text: string): boolean {
  const { digits, power } = partsOf(text);
  if (digits === '') return true;
  if (power < -MOST_FRACTION) return false;
  const kept = BigInt(Math.round(Math.abs(Number(text)) * 10 ** MOST_FRACTION));
  return BigInt(digits) * 10n ** BigInt(power + MOST_FRACTION) === kept;
}

/** A number without its sign as digits, of which neither the first nor the last is 0, times a power of ten. */
function partsOf(text: string): { readonly digits: string; readonly power: number } {
  const [mantissa = '', exponent = '0'] = text.replace(/^-/, '').split(/[eE]/);
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  return {
    digits: significant,
    power: digits.length - significant.length - fraction.length + Number(exponent),
  };
}
