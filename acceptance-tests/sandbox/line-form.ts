/** Line breaks of some readers that JSON allows inside a string. */
const breaks: Record<string, string> = { '\u0085': '\\u0085', '\u2028': '\\u2028', '\u2029': '\\u2029' };

/**
 * Returns a row's text on one line, as a connector emits it: newlines between tokens become blanks, and raw U+0085,
 * U+2028 and U+2029 inside strings become `\u` escapes. The ground truth is kept in this form.
 */
export function lineForm(text: string): string {
  return text.replace(/[\n\r\u0085\u2028\u2029]/g, (found) => breaks[found] ?? ' ');
}
