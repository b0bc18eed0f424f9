import yargs from 'yargs';

import packageJson from '../package.json' with { type: 'json' };
import type { ConfigOptions } from './commands/connector.ts';
import type { ConfiguredCommand } from './commands/with-config.ts';
import { configError, messageOf } from './errors.ts';
import { STATE_SECONDS } from './limits.ts';

/** What a command line asks for; `help` is what `--help` and `--version` print. */
export type CommandLine =
  { readonly name: 'help'; readonly text: string } | { readonly name: 'spec' } | ConfiguredCommand;

const EXAMPLES: [command: string, meaning: string][] = [
  ['$0 check --config config.json', 'can the streams be read with this config?'],
  ['$0 read --config config.json > out.jsonl', 'read everything'],
  ['$0 read --config config.json --state out.jsonl', 'go on where the saved output ends'],
];

const text = (describe: string) => ({ type: 'string', requiresArg: true, describe }) as const;
const number = (describe: string) => ({ type: 'number', requiresArg: true, describe }) as const;

const CONFIG = {
  config: {
    ...text('JSON file with the configuration (its form: see the command spec)'),
    demandOption: true,
  },
  'token-cache': text(
    "folder where tokens are kept between runs; without it one in the user's cache directory",
  ),
} as const;

const CHECK = {
  ...CONFIG,
  verbose: {
    type: 'boolean',
    default: false,
    describe: 'a table on stderr: what was asked, each answer, which token, what is missing',
  },
} as const;

const READ = {
  ...CONFIG,
  catalog: text('JSON file with the configured catalog; without it every configured stream is read'),
  state: text('where to go on: a state in JSON, or the saved output of earlier reads'),
  streams: text('only these streams, separated by commas'),
  'limit-rows': number('for a look at the data: stop after so many rows of each stream'),
  'state-every': {
    ...number(
      `seconds between two states of a stream while rows flow (0 to ${STATE_SECONDS.most}; 0: with every page)`,
    ),
    default: STATE_SECONDS.usual,
  },
  progress: {
    choices: ['auto', 'always', 'never'],
    requiresArg: true,
    default: 'auto',
    describe: 'a progress line on stderr; auto: if stderr is a terminal',
  },
} as const;

/**
 * Understands a command line.
 *
 * @throws ConnectorError USAGE that says what is wrong
 */
export async function parseCommandLine(args: readonly string[]): Promise<CommandLine> {
  let line: CommandLine | null = null;
  let printed = '';
  const program = shell()
    .command('spec', 'print the form of the configuration', {}, () => {
      line = { name: 'spec' };
    })
    .command('check', 'validate the configuration and ask each stream for one row', CHECK, (given) => {
      line = { name: 'check', options: { ...configOptions(given), verbose: given.verbose } };
    })
    .command('discover', 'print the catalog: streams and their schemas', CONFIG, (given) => {
      line = { name: 'discover', options: configOptions(given) };
    })
    .command('read', 'print records and states', READ, (given) => {
      const { catalog = null, state = null, stateEvery, streams, limitRows = null, progress } = given;
      if (!(stateEvery >= 0 && stateEvery <= STATE_SECONDS.most))
        throw new Error(`--state-every must be a number from 0 to ${STATE_SECONDS.most}.`);
      if (limitRows !== null && !(Number.isSafeInteger(limitRows) && limitRows >= 0))
        throw new Error('--limit-rows must be a whole number, 0 or more.');
      const names = streams?.split(',').map((name) => name.trim()) ?? null;
      const own = { catalog, state, stateEveryMs: stateEvery * 1000, streams: names, limitRows, progress };
      line = { name: 'read', options: { ...configOptions(given), ...own } };
    });
  try {
    await program.parseAsync([...args], {}, (_error, _argv, output) => {
      printed = output;
    });
  } catch (error) {
    const [named] = program.parsed === false ? [] : program.parsed.argv._;
    throw configError('USAGE', usageWords(messageOf(error), named));
  }
  return line ?? { name: 'help', text: printed };
}

function shell(): ReturnType<typeof yargs> {
  return (
    yargs()
      .scriptName(packageJson.name)
      .locale('en')
      .usage(
        '$0 <command>\n\nReads fleet assets and trailer alarms for an ELT platform. Messages are JSON lines on stdout.',
      )
      .example(EXAMPLES)
      .version(packageJson.version)
      .demandCommand(
        1,
        1,
        'A command is missing: spec, check, discover or read.',
        'There is more than one command.',
      )
      .strictCommands()
      .strictOptions()
      .recommendCommands()
      .parserConfiguration({
        'duplicate-arguments-array': false,
        // or `--config.x y` and `--no-config` would bring in an object and a boolean
        'dot-notation': false,
        'boolean-negation': false,
      })
      // a terminal wraps lines itself
      .wrap(null)
      .exitProcess(false)
      .fail(false)
  );
}

function configOptions(given: {
  readonly config: string;
  readonly tokenCache: string | undefined;
}): ConfigOptions {
  return { config: given.config, tokenCache: given.tokenCache ?? null };
}

function usageWords(words: string, named: string | number | undefined): string {
  const { name } = packageJson;
  // yargs says what may have been meant, and not what was written
  const whole = words.startsWith('Did you mean') ? `Unknown command: ${named}. ${words}` : words;
  const line = whole.replaceAll(/\s*\n\s*/g, ' ').replace(/(?<![?.])\s*$/, '.');
  return `${line} Usage: ${name} spec | check | discover | read; see ${name} --help.`;
}
