/** All characters that any line splitter treats as line ends; Python's str.splitlines splits at all of them. */
const LINE_ENDS = ['\n', '\v', '\f', '\r', '\u001c', '\u001d', '\u001e', '\u0085', '\u2028', '\u2029'];

/** True if no splitter of lines finds more than one line in the text. */
export function isOneLine(text: string): boolean {
  return LINE_ENDS.every((end) => !text.includes(end));
}
