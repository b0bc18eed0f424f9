import { expect, test } from 'vitest';
import { screenAfter } from './terminal-screen.ts';

test.each<[what: string, output: string, columns: number, screen: string[]]>([
  ['lines', 'one\r\ntwo\r\n', 10, ['one', 'two', '']],
  ['a line written over', 'abcdef\rxy', 10, ['xycdef']],
  ['a line that is erased from the cursor on', 'abcdef\rxy\u001B[K', 10, ['xy']],
  ['a line that is too long', 'abcdef', 4, ['abcd', 'ef']],
  ['a full line that is followed by nothing', 'abcd\r\nef', 4, ['abcd', 'ef']],
  ['what wraps cannot be written over', 'abcdef\rxy', 4, ['abcd', 'xy']],
  ['a line feed alone', 'ab\ncd', 10, ['ab', '  cd']],
  ['colours', '\u001B[36mab\u001B[0m c', 10, ['ab c']],
  ['erased below', 'a\r\nb\r\u001B[J', 10, ['a', '']],
])('%s', (_, output, columns, screen) => {
  expect(screenAfter(output, columns)).toStrictEqual(screen);
});

test.each(['\u001B[2A', '\u001B[?25l', '\u001B[2K', '\u001B]0;title'])('%j is not ours', (code) => {
  expect(() => screenAfter(`a${code}b`, 10)).toThrow('an unknown escape code');
});
