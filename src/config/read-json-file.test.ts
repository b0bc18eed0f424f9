import { createReadStream } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { configError, isConnectorError } from '../errors.ts';
import { readJsonFile } from './read-json-file.ts';
import { temporaryDirectory, temporaryFile } from './temporary-file.test-support.ts';

async function refusal(path: string): Promise<string> {
  const error: unknown = await readJsonFile('config', path, createReadStream, 'CONFIG_INVALID').catch(
    (reason: unknown) => reason,
  );
  expect(isConnectorError(error, 'CONFIG_INVALID')).toBe(true);
  expect(error).toHaveProperty('failureType', configError('CONFIG_INVALID', '').failureType);
  const { message } = error as Error;
  expect(message.startsWith(`config ${path}: `)).toBe(true);
  return message.slice(`config ${path}: `.length);
}

test('reads a document, with and without a byte order mark', async () => {
  for (const mark of ['', '\ufeff'])
    expect(
      await readJsonFile(
        'config',
        temporaryFile(`${mark}{"a": [1, "é"]}\n`),
        createReadStream,
        'CONFIG_INVALID',
      ),
    ).toStrictEqual({ a: [1, 'é'] });
});

test('a path at which no file can be read', async () => {
  const directory = temporaryDirectory();
  expect(await refusal(join(directory, 'none'))).toBe('there is no such file.');
  expect(await refusal(join(temporaryFile('{}'), 'below'))).toBe('there is no such file.');
  expect(await refusal(directory)).toBe('is a directory, not a file.');
  expect(await refusal('')).toBe('there is no such file.');
});

test.each<[what: string, content: string | Buffer, words: string]>([
  ['an empty file', '', 'is empty.'],
  ['white space', '\ufeff \n', 'is empty.'],
  ['UTF-16', Buffer.from('\ufeff{"a":1}', 'utf16le'), 'is not text in UTF-8; save it in that encoding.'],
  [
    'a trailing comma',
    '{\n  "client_secret": "canary",\n}',
    'is not valid JSON at line 3, column 1: a name in double quotes is expected there.',
  ],
  [
    'a value without quotes',
    '{"client_secret": canary}',
    'is not valid JSON at line 1, column 19: a value is expected there.',
  ],
  [
    'a value that is not closed',
    '{"client_secret": "canary',
    'is not valid JSON at line 1, column 19: a value is expected there.',
  ],
])('%s', async (_, content, words) => {
  expect(await refusal(temporaryFile(content))).toBe(words);
});
