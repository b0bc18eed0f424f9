import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { configError, isConnectorError } from '../errors.ts';
import { runs } from '../property-runs.test-support.ts';
import { isJson, jsonText } from '../rows/json-text.test-support.ts';
import { findJsonFault } from './faults.ts';
import { fileProblem, readJsonFile } from './files.ts';
import { temporaryDirectory, temporaryFile } from './temporary-file.test-support.ts';

async function refusal(path: string): Promise<string> {
  const error: unknown = await readJsonFile('config', path, createReadStream).catch(
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
      await readJsonFile('config', temporaryFile(`${mark}{"a": [1, "é"]}\n`), createReadStream),
    ).toStrictEqual({ a: [1, 'é'] });
});

test('a path that cannot be read', async () => {
  const directory = temporaryDirectory();
  expect(await refusal(join(directory, 'none'))).toBe('there is no such file.');
  expect(await refusal(join(temporaryFile('{}'), 'below'))).toBe('there is no such file.');
  expect(await refusal(directory)).toBe('is a directory, not a file.');
  for (const path of ['~/config.json', '$HOME/config.json', join(directory, '${NAME}.json')])
    expect(await refusal(path)).toBe(
      'there is no such file; it contains ~ or a variable, which only a shell replaces, and not everywhere: write the whole path.',
    );
  expect(await refusal('')).toBe('there is no such file.');
});

test.each<[what: string, content: string | Buffer, message: string]>([
  ['an empty file', '', 'is empty.'],
  ['whitespace', '\ufeff \n', 'is empty.'],
  [
    'UTF-16',
    Buffer.from('\ufeff{"a":1}', 'utf16le'),
    'is encoded in UTF-16, as the > of Windows PowerShell writes it; save it as UTF-8.',
  ],
  [
    'another encoding',
    Buffer.from('{\n"client_secret": "gehe\xefm"}', 'latin1'),
    'is not valid UTF-8 in line 2; save it in that encoding.',
  ],
  [
    'a trailing comma',
    '{\n  "client_secret": "canary",\n}',
    'is not valid JSON at line 2, column 28: there must be no comma before the } that follows (a trailing comma).',
  ],
  [
    'a value without quotes',
    '{"client_secret": canary}',
    'is not valid JSON at line 1, column 19: expected a value; a text must be in double quotes.',
  ],
  [
    'a value that is not closed',
    '{"client_secret": "canary',
    'is not valid JSON at line 1, column 19: the string that begins here has no closing quote.',
  ],
  [
    'a key that is there twice',
    '{\n  "lists": [{"a": 1}, {"a": 2}],\n  "o": {"lists": ":"}, "l\\u0069sts" : []}',
    'is ambiguous at line 3, column 24: "lists" is there twice, and only one could count.',
  ],
])('%s', async (_, content, message) => {
  expect(await refusal(temporaryFile(content))).toBe(message);
});

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: system message`), { code, syscall: 'open' });
}

test.each([
  ['EACCES', 'cannot be read: permission denied'],
  ['ENOENT', 'there is no such file'],
  ['EISDIR', 'is a directory, not a file'],
  ['EIO', 'cannot be read (EIO: system message)'],
])('%s: %s', (code, message) => {
  expect(fileProblem(systemError(code))).toBe(message);
});

test('an error that does not come from the file system is not described', async () => {
  const fault: unknown = await readFile(5.5 as unknown as string).catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(Error);
  for (const error of [fault, new TypeError('a fault of ours'), 'text', null])
    expect(fileProblem(error)).toBeNull();
});

test('valid JSON has no fault', () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      expect(findJsonFault(` \n${text}\t`)).toBeNull();
    }),
  );
});

test('agrees with JSON.parse on whether an arbitrarily modified text is valid', () => {
  const scrap = fc.constantFrom(
    '"',
    ',',
    ':',
    '{',
    '}',
    '[',
    ']',
    '\\',
    'x',
    '0',
    '-',
    '.',
    'e',
    '\n',
    '\u0000',
    ' ',
  );
  fc.assert(
    fc.property(jsonText, fc.nat(), fc.nat(3), scrap, (text, place, removed, added) => {
      const at = place % (text.length + 1);
      const changed = text.slice(0, at) + added + text.slice(at + removed);
      expect(findJsonFault(changed) === null).toBe(isJson(changed));
    }),
    { numRuns: runs(2000) },
  );
});

const NO_QUOTE = 'the string that begins here has no closing quote';
const LINE_BREAK =
  'the string that begins here has a line break before its closing quote; add the quote, or write \\n for a line break';
const BACKSLASH = 'the string that begins here has a \\ that begins no escape; write \\\\ for a \\';
const noComma = (bracket: string): string =>
  `there must be no comma before the ${bracket} that follows (a trailing comma)`;

test.each<[text: string, line: number, column: number, problem: string]>([
  ['{"a": "cut', 1, 7, NO_QUOTE],
  ['{"a": "', 1, 7, NO_QUOTE],
  ['{"', 1, 2, NO_QUOTE],
  ['{"a": "secret\n}', 1, 7, LINE_BREAK],
  ['{"a\r\n": 1}', 1, 2, LINE_BREAK],
  ['{"a": "\n"}', 1, 7, LINE_BREAK],
  ['{"a": "\\"\n"}', 1, 7, LINE_BREAK],
  ['{"a": "C:\\secret"}', 1, 7, BACKSLASH],
  ['{"a": "\\u12"}', 1, 7, BACKSLASH],
  ['{"a": "x\ty"}', 1, 7, 'the string that begins here has a control character; write \\t for it'],
  ['{\n  "a": 1,\n}', 2, 9, noComma('}')],
  ['{"a": [1, 2 ,\n\n], "b": 1}', 1, 13, noComma(']')],
  ['[{"a": 1},]', 1, 10, noComma(']')],
])('%j has a fault that is explained', (text, line, column, problem) => {
  expect(findJsonFault(text)).toBe(`line ${line}, column ${column}: ${problem}`);
});

test.each<[text: string, line: number, column: number, expected: string]>([
  ['', 1, 1, 'a value'],
  ['{"a": 1', 1, 8, 'a comma or }'],
  ['{"a": 1,', 1, 9, 'a name in double quotes'],
  ['{\r\n  "a": 1\r\n  "b": 2\r\n}', 3, 3, 'a comma or }'],
  ['{"a" 1}', 1, 6, 'a colon'],
  ['{"a": secret}', 1, 7, 'a value; a text must be in double quotes'],
  ['{"a": ]', 1, 7, 'a value'],
  ['[1 2]', 1, 4, 'a comma or ]'],
  ['[', 1, 2, 'a value or ]'],
  ['{} {}', 1, 4, 'the end of the file'],
])('%j', (text, line, column, expected) => {
  expect(findJsonFault(text)).toBe(`line ${line}, column ${column}: expected ${expected}`);
});

test('the depth of nested brackets is limited', () => {
  expect(findJsonFault(`${'['.repeat(500)}${']'.repeat(500)}`)).toBeNull();
  expect(findJsonFault(`${'['.repeat(501)}${']'.repeat(501)}`)).toMatch(/^line 1, column 501: /);
});

test.each([
  ["{'a': 1}", 'line 1, column 2: JSON has no single quotes; write " instead of \''],
  [
    '{"a": 1} // secret',
    'line 1, column 10: JSON has no comments; remove it, or use a key that begins with _',
  ],
  [
    '{\n  /* secret */ "a": 1}',
    'line 2, column 3: JSON has no comments; remove it, or use a key that begins with _',
  ],
  [
    '{\n  "a": 1, # secret\n}',
    'line 2, column 11: JSON has no comments; remove it, or use a key that begins with _',
  ],
  [
    'auth_url: https://secret.example/token\nclient_id: me\n',
    'line 1, column 1: this looks like YAML; the file must be JSON',
  ],
  ['---\n# secret\nauth_url: x\n', 'line 1, column 1: this looks like YAML; the file must be JSON'],
  ['# secret\nassets:\n  base_url: x\n', 'line 1, column 1: this looks like YAML; the file must be JSON'],
  ['{\n  “a”: 1\n}', 'line 2, column 3: JSON has no typographic quotes; write " instead'],
  ['{\n\u00a0 "a": 1\n}', 'line 2, column 1: this is not an ordinary blank, though it looks like one'],
  ['{"a": 1,}', 'line 1, column 8: there must be no comma before the } that follows (a trailing comma)'],
])('%j is explained by what was meant', (text, fault) => {
  expect(findJsonFault(text)).toBe(fault);
});

const PLACEHOLDER = 'this looks like a placeholder: was its value not filled in?';
const LETTERS = 'JSON writes true and false in small letters';
const NO_VALUE = 'JSON writes null where there is no value';
const NO_NUMBER = 'JSON has no such number; write another one, or null';

test.each([
  ['${N}', 7, PLACEHOLDER],
  ['$N', 7, PLACEHOLDER],
  ['{{ N }}', 8, PLACEHOLDER],
  ['[{{ N }}]', 9, PLACEHOLDER],
  ['<N>', 7, PLACEHOLDER],
  ['%N%', 7, PLACEHOLDER],
  ['@N@', 7, PLACEHOLDER],
  ['True', 7, LETTERS],
  ['FALSE', 7, LETTERS],
  ['None', 7, NO_VALUE],
  ['undefined', 7, NO_VALUE],
  ['NaN', 7, NO_NUMBER],
  ['-Infinity', 7, NO_NUMBER],
  ['.5', 7, 'a number in JSON begins with a digit or -'],
  ['+5', 7, 'a number in JSON begins with a digit or -'],
  ['0x4', 8, 'JSON has only decimal numbers, without zeros in front'],
  ['007', 8, 'JSON has only decimal numbers, without zeros in front'],
  ['...', 7, 'this stands for something that was left out; fill it in, or remove it'],
  ['trueish', 11, 'expected a comma or }'],
])('%s in place of a JSON value is explained', (value, column, problem) => {
  expect(findJsonFault(`{"a": ${value}}`)).toBe(`line 1, column ${column}: ${problem}`);
});

test.each([
  ['${CONFIG}', 1, PLACEHOLDER],
  ['<html>', 1, 'the file must be JSON, which begins with { or [; this is something else'],
  ['{}\0\0', 3, 'zero bytes begin here, as in a file that was not written to its end; write it again'],
])('a file that is no JSON is explained: %j', (text, column, problem) => {
  expect(findJsonFault(text)).toBe(`line 1, column ${column}: ${problem}`);
});
