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

/** A fault to be planted in a file: a text that stands once in it, what takes its place, what that breaks, and tests that fail then. */
export type Mutant = ReturnType<typeof mutantsOf>[number];

export const MUTANTS = TABLES.flatMap((table: Readonly<Record<string, Readonly<Record<string, string>>>>) =>
  Object.entries(table).flatMap(([place, faults]) => mutantsOf(place, faults)),
);

/** Of `file < tests`, or of a file with a test of its name, as `if (a «< → <=» b)` by what each breaks. */
function mutantsOf(place: string, faults: Readonly<Record<string, string>>) {
  const [file = '', names = file] = place.split(' < ');
  const tests = names.split(' ').map((name) => {
    const folder = /^(suites|simulation)\//.test(name) ? 'acceptance-tests' : 'src';
    return `${folder}/${name}.test.ts`;
  });
  return Object.entries(faults).map(([breaks, change]) => {
    const [, before = '', was = '', is = '', after = ''] =
      /^([^]*)«([^]*) → ([^]*)»([^]*)$/.exec(change) ?? [];
    const [text, planted] = [before + was + after, before + is + after];
    return { file: `src/${file}.ts`, breaks, text, planted, tests };
  });
}

/** What is wrong with the tables, in words: mutants that the source has left behind. */
export function staleMutants(): string[] {
  return MUTANTS.flatMap(({ file, text, planted, tests }) => {
    const times = readFileSync(join(repository, file), 'utf8').split(text).length - 1;
    return [
      ...(times === 1 ? [] : [`${file}: stands there ${times} times: ${text}`]),
      ...(planted === text ? [`${file}: changes nothing: ${text}`] : []),
      ...tests.filter((test) => !existsSync(join(repository, test))).map((test) => `there is no ${test}`),
    ];
  });
}
