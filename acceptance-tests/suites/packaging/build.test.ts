import { execFile } from 'node:child_process';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../src/config/temporary-file.test-support.ts';
import { repository } from './versions.ts';

const run = promisify(execFile);

test('a build contains the program and all licenses, and nothing from an earlier build', async () => {
  const folder = temporaryDirectory();
  await writeFile(join(folder, 'chunk-OF-YESTERDAY.js'), '');
  await run(process.execPath, ['build.mjs', folder], { cwd: repository });

  const files = await readdir(folder);
  const licenseFiles = ['LICENSE', 'THIRD-PARTY-LICENSES.txt'];
  expect(files.filter((file) => !file.endsWith('.js'))).toStrictEqual(licenseFiles);
  expect(files).toContain('main.js');
  expect(files).not.toContain('chunk-OF-YESTERDAY.js');

  const text = (file: string): Promise<string> => readFile(join(folder, file), 'utf8');
  expect(await text('LICENSE')).toBe(await readFile(join(repository, 'LICENSE'), 'utf8'));
  const licenses = await text('THIRD-PARTY-LICENSES.txt');
  for (const name of ['ajv-formats', 'yargs', 'yargs-parser'])
    expect(licenses).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+\\n\\n.+\\n`, 'm'));
  expect((await run(process.execPath, [join(folder, 'main.js'), 'spec'])).stdout).toMatch(/^\{"type":"SPEC"/);
});
