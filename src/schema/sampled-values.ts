import { isHuge, isInteger, numbersIn } from '../rows/numbers.ts';

/** The kinds of numbers that schemas distinguish: a 64-bit integer, any other number that fits a decimal, and one that does not. */
export type SampledNumber = 'integer' | 'number' | 'huge';

// No integer equals one of these. Their exponents prevent invalid JSON such as `1e5e5` from becoming valid.
const PLACEHOLDERS = { number: '0.5e0', huge: '0.25e0' } as const;

/** Parses like `JSON.parse`, but replaces numbers that are not 64-bit integers by placeholders for `sampledNumber`. */
export function parseSampled(text: string): unknown {
  let marked = '';
  let copied = 0;
  for (const { number, at } of numbersIn(text)) {
    if (isInteger(number)) continue;
    const sign = number.startsWith('-') ? 1 : 0;
    marked += text.slice(copied, at + sign) + PLACEHOLDERS[isHuge(number) ? 'huge' : 'number'];
    copied = at + number.length;
  }
  return JSON.parse(marked + text.slice(copied));
}

/** Returns the kind of a number from `parseSampled`. */
export function sampledNumber(value: number): SampledNumber {
  const size = Math.abs(value);
  if (size === 0.5) return 'number';
  return size === 0.25 ? 'huge' : 'integer';
}
