import { readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';

import { fileProblem } from './file-problem.ts';

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: words of the system`), { code, syscall: 'open' });
}

test.each([
  ['EACCES', 'may not be read by this user'],
  ['ENOENT', 'there is no such file'],
  ['EISDIR', 'is a directory, not a file'],
  ['EIO', 'cannot be read (EIO: words of the system)'],
])('%s: %s', (code, words) => {
  expect(fileProblem(systemError(code))).toBe(words);
});

test('an error that does not come from the file system is none', async () => {
  const fault: unknown = await readFile(5.5 as unknown as string).catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(Error);
  for (const error of [fault, new TypeError('a fault of ours'), 'text', null])
    expect(fileProblem(error)).toBeNull();
});
