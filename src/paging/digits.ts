const [MONTH, DAY, ORDINAL] = [
  '(?:0[1-9]|1[0-2])',
  '(?:0[1-9]|[12]\\d|3[01])',
  '(?:[0-2]\\d\\d|3[0-5]\\d|36[0-6])',
];
const [HOUR, SIXTY] = ['(?:[01]\\d|2[0-3])', '[0-5]\\d'];

/**
 * Forms of dates and times in digits that are not supported. All but the last may look like an epoch, or like `yyyyMMddHHmm`. The
 * years are limited, so that epochs from 2001-09-09 until 2033-05-18 remain epochs.
 */
const FORMS = [
  `2\\d${MONTH}${DAY}${HOUR}${SIXTY}`, // yyMMddHHmm
  `\\d\\d${MONTH}${DAY}${HOUR}${SIXTY}${SIXTY}`, // yyMMddHHmmss
  `20[0-3]\\d${MONTH}${DAY}${HOUR}`, // yyyyMMddHH
  `20[0-3]\\d${MONTH}${DAY}${HOUR}${SIXTY}${SIXTY}\\d\\d(?:\\d{3})?`, // yyyyMMddHHmmss with hundredths, or five digits
  `20[0-3]\\d${ORDINAL}${HOUR}${SIXTY}${SIXTY}(?:\\d{3}){0,2}`, // yyyyDDDHHmmss, with a fraction or without one
  `${DAY}${MONTH}(?:19|20)\\d\\d${HOUR}${SIXTY}${SIXTY}`, // ddMMyyyyHHmmss
];

/** The text of a number whose digits may be a time in a form that is not supported. */
export const OTHER_DIGITS = new RegExp(`^(?:${FORMS.join('|')})(?:\\.\\d+)?$`);

/** A number as some serializers write it. */
const EXPONENT = /^(\d{1,19})(?:\.(\d{1,30}))?[eE]\+?(\d{1,2})$/;

/** Writes out a number with an exponent; any other text remains. */
export function withoutExponent(text: string): string {
  const [, whole, fraction = '', exponent] = EXPONENT.exec(text) ?? [];
  if (whole === undefined) return text;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  const rest = digits.slice(point).replace(/0+$/, '');
  const size = digits.slice(0, point).padEnd(point, '0').replace(/^0+/, '');
  return size + (rest === '' ? '' : `.${rest}`);
}
