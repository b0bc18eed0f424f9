import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { program } from '../../support/program.ts';
import { repository, textOf } from './versions.ts';

/** What the project is specified with. */
const PACKAGES = { shipped: ['ajv', 'split2', 'yargs'], tests: ['fast-check', 'vitest'] };
const TOP_LEVEL = [
  'package.json',
  'tsconfig.json',
  'src',
  'schemas',
  'spec.json',
  'acceptance-tests',
  'Dockerfile',
  'README.md',
];
const COMMANDS = ['spec', 'check', 'discover', 'read'];

interface Lock {
  readonly packages: Readonly<Record<string, object>>;
}

const { dependencies, devDependencies } = JSON.parse(textOf('package.json')) as Record<string, object>;

/** The packages that files of `src` import, and those that its tests import. */
function imported(): { shipped: Set<string>; tests: Set<string> } {
  const packages = { shipped: new Set<string>(), tests: new Set<string>() };
  for (const file of readdirSync(join(repository, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const isTest = /\.(test|test-support|fake)\.ts$/.test(file);
    const text = readFileSync(join(repository, 'src', file), 'utf8');
    for (const [, name = ''] of text.matchAll(/^import\b[^;]*?'((?:@[\w.-]+\/)?\w[\w.-]*)[^']*';$/gm))
      packages[isTest ? 'tests' : 'shipped'].add(name);
  }
  return packages;
}

test('the specified packages are production dependencies, and src imports them', () => {
  const { shipped } = imported();
  for (const name of PACKAGES.shipped) {
    expect(dependencies).toHaveProperty(name);
    expect([...shipped]).toContain(name);
  }
});

test('the specified test tools are development dependencies, and the tests import them', () => {
  const { tests, shipped } = imported();
  for (const name of PACKAGES.tests) {
    expect(devDependencies).toHaveProperty(name);
    expect([...tests]).toContain(name);
    expect([...shipped]).not.toContain(name);
  }
});

test('no package of Airbyte is installed, and the lock file names no registry', () => {
  const lock = textOf('package-lock.json');
  const installed = Object.keys((JSON.parse(lock) as Lock).packages);
  expect(installed.length).toBeGreaterThan(50);
  expect(installed.filter((path) => /@airbyte/i.test(path))).toStrictEqual([]);
  expect(lock).not.toContain('"resolved"');
});

test.each(TOP_LEVEL)('%s is at the top level', (name) => {
  expect(existsSync(join(repository, name))).toBe(true);
});

test.each(COMMANDS)('%s is a command', async (name) => {
  const { stdout } = await promisify(execFile)(process.execPath, [program, name, '--help']);
  expect(stdout).toMatch(new RegExp(`^source-trailer-data ${name}\\n`));
});
