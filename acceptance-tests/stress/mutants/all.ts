import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { API_MUTANTS } from './api.ts';
import { COMMANDS_MUTANTS } from './commands.ts';
import { CONFIG_MUTANTS } from './config.ts';
import { HTTP_MUTANTS } from './http.ts';
import type { Mutant } from './mutant.ts';
import { PAGING_CURSOR_MUTANTS } from './paging-cursor.ts';
import { PAGING_OFFSET_MUTANTS } from './paging-offset.ts';
import { PROCESS_MUTANTS } from './process.ts';
import { PROTOCOL_MUTANTS } from './protocol.ts';
import { SCHEMA_MUTANTS } from './schema.ts';
import { STREAMS_MUTANTS } from './streams.ts';
import { SYNC_MUTANTS } from './sync.ts';
import { TOKEN_MUTANTS } from './token.ts';

export const repository = join(import.meta.dirname, '../../..');

export const MUTANTS: readonly Mutant[] = [
  ...PROCESS_MUTANTS,
  ...CONFIG_MUTANTS,
  ...COMMANDS_MUTANTS,
  ...SYNC_MUTANTS,
  ...STREAMS_MUTANTS,
  ...PAGING_OFFSET_MUTANTS,
  ...PAGING_CURSOR_MUTANTS,
  ...SCHEMA_MUTANTS,
  ...API_MUTANTS,
  ...TOKEN_MUTANTS,
  ...HTTP_MUTANTS,
  ...PROTOCOL_MUTANTS,
];

/** What is wrong with the list, in words: mutants that the source has left behind. */
export function staleMutants(): string[] {
  return MUTANTS.flatMap(({ file, text, planted, nearest }) => {
    const times = readFileSync(join(repository, file), 'utf8').split(text).length - 1;
    return [
      ...(times === 1 ? [] : [`${file}: stands there ${times} times: ${text}`]),
      ...(planted === text ? [`${file}: changes nothing: ${text}`] : []),
      ...nearest.filter((test) => !existsSync(join(repository, test))).map((test) => `there is no ${test}`),
    ];
  });
}
