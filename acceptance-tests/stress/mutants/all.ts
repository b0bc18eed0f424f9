import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMAND_LINE } from './command-line.ts';
import { PAGING } from './paging.ts';
import { PROTOCOL } from './protocol.ts';
import { REQUESTS } from './requests.ts';
import { STREAMS } from './streams.ts';
import { TOKENS } from './tokens.ts';

export const repository = join(import.meta.dirname, '../../..');
const TABLES = [COMMAND_LINE, STREAMS, PAGING, REQUESTS, TOKENS, PROTOCOL];

/** A fault to plant in a file: a text that occurs once, its replacement, a title, and tests that must fail. */
export type Mutant = ReturnType<typeof mutantsOf>[number];

export const MUTANTS = TABLES.flatMap((table: Readonly<Record<string, Readonly<Record<string, string>>>>) =>
  Object.entries(table).flatMap(([target, faults]) => mutantsOf(target, faults)),
);

/** Parses the faults of `file < tests`, or of a file with a test of the same name: `if (a «< → <=» b)` by title. */
function mutantsOf(target: string, faults: Readonly<Record<string, string>>) {
  const [file = '', names = file] = target.split(' < ');
  const tests = names.split(' ').map((name) => {
    const folder = /^(suites|simulation)\//.test(name) ? 'acceptance-tests' : 'src';
    return `${folder}/${name}.test.ts`;
  });
  return Object.entries(faults).map(([title, change]) => {
    const [, before = '', was = '', is = '', after = ''] =
      /^([^]*)«([^]*) → ([^]*)»([^]*)$/.exec(change) ?? [];
    const [text, planted] = [before + was + after, before + is + after];
    return { file: `src/${file}.ts`, title, text, planted, tests };
  });
}

/** Describes mutants that no longer match the source. */
export function staleMutants(): string[] {
  return MUTANTS.flatMap(({ file, text, planted, tests }) => {
    const times = readFileSync(join(repository, file), 'utf8').split(text).length - 1;
    return [
      ...(times === 1 ? [] : [`${file}: occurs ${times} times: ${text}`]),
      ...(planted === text ? [`${file}: changes nothing: ${text}`] : []),
      ...tests.filter((test) => !existsSync(join(repository, test))).map((test) => `no such file: ${test}`),
    ];
  });
}
