import type { CheckOptions } from './commands/check.ts';
import type { ConfigOptions } from './commands/connector.ts';
import type { Environment } from './commands/environment.ts';
import type { ReadOptions } from './commands/read.ts';
import { runSpec } from './commands/spec.ts';
import { limitYoungGeneration } from './commands/young-generation.ts';

/** A command with its options, as a command line asks for it. */
export type Invocation =
  | { readonly name: 'spec' }
  | { readonly name: 'check'; readonly options: CheckOptions }
  | { readonly name: 'discover'; readonly options: ConfigOptions }
  | { readonly name: 'read'; readonly options: ReadOptions };

/** What a command line asks for: a command, or text for a person (`--help`, `--version`). */
export type CommandLine = Invocation | { readonly text: string };

/** Runs a command to its exit code. What `spec` does without is loaded only now. */
export async function invoke(asked: Invocation, environment: Environment): Promise<number> {
  if (asked.name === 'spec') return runSpec(environment);
  const { runCheck, runDiscover, runRead } = await import('./commands/with-config.ts');
  if (asked.name === 'check') return runCheck(asked.options, environment);
  if (asked.name === 'discover') return runDiscover(asked.options, environment);
  limitYoungGeneration();
  return runRead(asked.options, environment);
}
