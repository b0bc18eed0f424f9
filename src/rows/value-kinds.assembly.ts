/*
 * AssemblyScript: classifies strings and numbers by their bytes, so that comparing rows with a schema need not parse values.
 * A test compares the kinds with their definitions in numbers.ts, times.ts and value-kind.ts.
 */

export const enum Byte {
  SPACE = 0x20,
  QUOTE = 0x22,
  PLUS = 0x2b,
  COMMA = 0x2c,
  MINUS = 0x2d,
  POINT = 0x2e,
  ZERO = 0x30,
  COLON = 0x3a,
  OPEN_BRACKET = 0x5b,
  BACKSLASH = 0x5c,
  CLOSE_BRACKET = 0x5d,
  OPEN_BRACE = 0x7b,
  CLOSE_BRACE = 0x7d,
}

/** See `ValueKind` in value-kind.ts. */
export const enum Kind {
  NULL,
  TEXT,
  ESCAPED_TEXT,
  UNREAL_TIME,
  OTHER_TIME,
  LOCAL_TIME,
  UTC_TIME,
  BOOLEAN,
  INTEGER,
  LARGE_INTEGER,
  DECIMAL,
  DOUBLE,
  LONG_NUMBER,
  OTHER_NUMBER,
  OBJECT,
  ARRAY,
}

const INTEGER_DIGITS: i32 = 19; // of the largest 64-bit integers
const MAX_DIGITS: i32 = 28; // before the point of numbers that are certainly below 1e29
const FRACTION_DIGITS: i32 = 9; // of decimals in loaders
const SURE_DIGITS: i32 = 15; // significant digits that every double keeps
const DOUBLE_DIGITS: i32 = 17; // significant digits of the longest doubles
const MIN_DIGITS: i32 = -290; // before the point of numbers that are certainly not subnormal doubles
const MAX_POWER: i32 = 22; // of five, so that all results stay within 64 bits
const MANTISSA_BITS: i32 = 52;
const HIDDEN_BIT: u64 = 1 << 52;

export function byteAt(at: i32): i32 {
  return load<u8>(at);
}

export function isDigit(byte: i32): bool {
  return <u32>(byte - Byte.ZERO) < 10;
}

/** The kind of a number without fraction or exponent, given from its first digit; JSON allows no leading zeros. */
export function integerKind(from: i32, end: i32, isNegative: bool): i32 {
  const length = end - from;
  if (length < INTEGER_DIGITS) return Kind.INTEGER;
  if (length > INTEGER_DIGITS) return length > MAX_DIGITS ? Kind.OTHER_NUMBER : Kind.LARGE_INTEGER;
  let value: u64 = 0;
  for (let at = from; at < end; at++) value = value * 10 + (byteAt(at) - Byte.ZERO);
  return value <= <u64>i64.MAX_VALUE + (isNegative ? 1 : 0) ? Kind.INTEGER : Kind.LARGE_INTEGER;
}

/** The kind of any other number, given from its first digit. */
export function fractionKind(from: i32, end: i32): i32 {
  // the number is `digits` times ten to the power of `exponent`; `digits` has no trailing zeros
  let digits: u64 = 0;
  let count = 0;
  let zeros = 0;
  let places = 0;
  let isFraction = 0;
  let at = from;
  for (; at < end; at++) {
    const byte = byteAt(at);
    if (byte == Byte.POINT) {
      isFraction = 1;
      continue;
    }
    if (!isDigit(byte)) break;
    places += isFraction;
    zeros++;
    if (byte == Byte.ZERO) continue;
    if (count > 0) count += zeros - 1;
    count++;
    for (; zeros > 0; zeros--) digits *= 10;
    digits += byte - Byte.ZERO;
  }
  if (count == 0) return Kind.DECIMAL;
  const exponent = zeros - places + exponentAt(at, end);
  if (count + exponent > MAX_DIGITS) return Kind.OTHER_NUMBER;
  if (count > DOUBLE_DIGITS) return Kind.LONG_NUMBER;
  const isSure = count <= SURE_DIGITS && count + exponent > MIN_DIGITS;
  if (isSure && exponent < -FRACTION_DIGITS) return Kind.DOUBLE;
  if (isSure && count + exponent + FRACTION_DIGITS <= SURE_DIGITS) return Kind.DECIMAL;
  return exponent < -MAX_POWER || exponent > MAX_POWER
    ? Kind.OTHER_NUMBER
    : exactKind(digits, count, exponent);
}

/** The value of an exponent, given from its `e`; 0 if there is none. */
function exponentAt(from: i32, end: i32): i32 {
  const isNegative = byteAt(from + 1) == Byte.MINUS;
  let value = 0;
  for (let at = from + 1; at < end; at++)
    if (isDigit(byteAt(at)) && value < 10_000) value = value * 10 + byteAt(at) - Byte.ZERO;
  return isNegative ? -value : value;
}

/**
 * The kind of `digits`, `count` in number, times a power of ten. All values are in a unit in which the number, the nearest
 * double and the distances are integers: `ulp` between doubles, `step` between numbers with as many digits. These wrap at 64
 * bits, but `rest`, from the double to the number, does not.
 */
function exactKind(digits: u64, count: i32, exponent: i32): i32 {
  const five = powerOfFive(abs(exponent));
  const isFraction = exponent < 0;
  const near = isFraction ? <f64>digits / <f64>five : <f64>digits * <f64>five;
  const shift = 1023 + MANTISSA_BITS - <i32>(reinterpret<u64>(near) >> MANTISSA_BITS);
  const ulp: i64 = (isFraction ? five : 1) << max(-shift, 0);
  const step: i64 = (isFraction ? 1 : five) << max(shift, 0);
  let mantissa = (reinterpret<u64>(near) & (HIDDEN_BIT - 1)) | HIDDEN_BIT;
  let rest: i64 = digits * step - mantissa * ulp;
  for (; 2 * rest > ulp; rest -= ulp) mantissa++;
  for (; -2 * rest > ulp; rest += ulp) mantissa--;
  // next to a power of two the distances differ
  if (mantissa < HIDDEN_BIT + 4 || mantissa > 2 * HIDDEN_BIT - 4) return Kind.OTHER_NUMBER;
  if (count > SURE_DIGITS && step <= ulp) {
    if (2 * abs(rest) == step) return Kind.OTHER_NUMBER;
    const last = <i64>(digits % 10);
    // a shorter number nearby that parses to the same double
    const reach = ulp - (mantissa & 1);
    const isShorter = 2 * abs(rest - last * step) <= reach || 2 * abs(rest + (10 - last) * step) <= reach;
    if (isShorter || 2 * abs(rest) > step) return Kind.LONG_NUMBER;
  }
  const power = reinterpret<f64>((1023 + MANTISSA_BITS - shift + exponent) << MANTISSA_BITS);
  const double = (<f64>mantissa / <f64>HIDDEN_BIT) * power;
  return keepsDecimal(double, digits, exponent + FRACTION_DIGITS) ? Kind.DECIMAL : Kind.DOUBLE;
}

/** True if a double times 1e9, rounded, equals the digits times that power of ten. */
function keepsDecimal(double: f64, digits: u64, power: i32): bool {
  if (power < 0) return false;
  const product = double * 1e9;
  const rounded = product < <f64>HIDDEN_BIT ? floor(product + 0.5) : product;
  const bits = reinterpret<u64>(rounded);
  const shift = power + 1023 + MANTISSA_BITS - <i32>(bits >> MANTISSA_BITS);
  const mantissa = (bits & (HIDDEN_BIT - 1)) | HIDDEN_BIT;
  // both are close to each other, so it suffices to compare them modulo 2 to the power of 64
  return mantissa << max(-shift, 0) == (digits * powerOfFive(power)) << max(shift, 0);
}

function powerOfFive(power: i32): u64 {
  let five: u64 = 1;
  for (let left = power; left > 0; left--) five *= 5;
  return five;
}

/** The kind of a string without escapes, given between its quotes. */
export function textKind(from: i32, end: i32): i32 {
  const hasDate = byteAt(from + 4) == Byte.MINUS && byteAt(from + 7) == Byte.MINUS;
  const separator = byteAt(from + 10);
  const hasTime = byteAt(from + 13) == Byte.COLON && (separator == LETTER_T || separator == Byte.SPACE);
  if (!hasDate || !hasTime) return Kind.TEXT;
  const year = pair(from) * 100 + pair(from + 2);
  const month = pair(from + 5);
  const day = pair(from + 8);
  const hour = pair(from + 11);
  const minute = pair(from + 14);
  if (max(max(year, month), max(day, max(hour, minute))) >= NO_PAIR) return Kind.TEXT;
  const second = byteAt(from + 16) == Byte.COLON ? pair(from + 17) : NO_PAIR;
  const isDay = month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month);
  if (!isDay || hour > 23 || minute > 59 || (second > 59 && second < NO_PAIR)) return Kind.UNREAL_TIME;
  if (second == NO_PAIR || separator != LETTER_T) return Kind.OTHER_TIME;
  let at = from + 19;
  if (byteAt(at) == Byte.POINT) {
    at++;
    while (isDigit(byteAt(at))) at++;
    if (at == from + 20 || at > from + 26) return Kind.OTHER_TIME;
  }
  const sign = byteAt(at);
  if (at == end) return Kind.LOCAL_TIME;
  if (sign == LETTER_Z) return at + 1 == end ? Kind.UTC_TIME : Kind.OTHER_TIME;
  const isOffset = (sign == Byte.PLUS || sign == Byte.MINUS) && at + 6 == end;
  const isUtc = isOffset && pair(at + 1) == 0 && byteAt(at + 3) == Byte.COLON && pair(at + 4) == 0;
  return isUtc ? Kind.UTC_TIME : Kind.OTHER_TIME;
}

function daysOf(year: i32, month: i32): i32 {
  if (month == 2) return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

const LETTER_T: i32 = 0x54;
const LETTER_Z: i32 = 0x5a;
const NO_PAIR: i32 = 10_000; // larger than any two pairs of digits

/** The value of two digits, or NO_PAIR. */
function pair(at: i32): i32 {
  const tens = byteAt(at);
  const ones = byteAt(at + 1);
  return isDigit(tens) && isDigit(ones) ? (tens - Byte.ZERO) * 10 + (ones - Byte.ZERO) : NO_PAIR;
}
