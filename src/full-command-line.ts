import yargs from 'yargs';

import type { CommandLine, Invocation } from './invocation.ts';
import packageJson from '../package.json' with { type: 'json' };

const EXAMPLES: [command: string, meaning: string][] = [
  ['$0 check --config config.json', 'can the streams be read with this config?'],
  ['$0 read --config config.json > out.jsonl', 'read everything'],
  ['$0 read --config config.json --state out.jsonl', 'go on where the saved output ends'],
];

const CONFIG = {
  config: {
    type: 'string',
    demandOption: true,
    requiresArg: true,
    describe: 'JSON file with the configuration (its form: see the command spec)',
  },
  'token-cache': {
    type: 'string',
    requiresArg: true,
    describe: "folder where tokens are kept between runs; without it one in the user's cache directory",
  },
} as const;

/** What is wrong with a command line, in words. */
export interface WrongUsage {
  readonly wrong: string;
}

/**
 * Understands any command line, and has words for people. It shares no code with the rest of the program, which would
 * have to lie in a file of its own then, and every command would have to load that too.
 */
export async function parseFully(
  args: readonly string[],
  stateSeconds: { readonly usual: number; readonly most: number },
): Promise<CommandLine | WrongUsage> {
  let invocation: Invocation | null = null;
  let text = '';
  const program = yargs()
    .scriptName(packageJson.name)
    .locale('en')
    .usage(
      '$0 <command>\n\nReads fleet assets and trailer alarms for an ELT platform. Messages are JSON lines on stdout.',
    )
    .command('spec', 'print the form of the configuration', {}, () => {
      invocation = { name: 'spec' };
    })
    .command(
      'check',
      'validate the configuration and ask each stream for one row',
      {
        ...CONFIG,
        verbose: {
          type: 'boolean',
          default: false,
          describe: 'a table on stderr: what was asked, what came, which token, what is missing',
        },
      } as const,
      ({ verbose, ...rest }) => {
        invocation = { name: 'check', options: { ...configOptions(rest), verbose } };
      },
    )
    .command('discover', 'print the catalog: streams and their schemas', CONFIG, (options) => {
      invocation = { name: 'discover', options: configOptions(options) };
    })
    .command(
      'read',
      'print records and states',
      {
        ...CONFIG,
        catalog: {
          type: 'string',
          requiresArg: true,
          describe: 'JSON file with the configured catalog; without it every configured stream is read',
        },
        state: {
          type: 'string',
          requiresArg: true,
          describe: 'where to go on: a state in JSON, or the saved output of earlier reads',
        },
        streams: {
          type: 'string',
          requiresArg: true,
          describe: 'only these streams, separated by commas',
        },
        'limit-rows': {
          type: 'number',
          requiresArg: true,
          describe: 'for a look at the data: stop after so many rows of each stream',
        },
        'state-every': {
          type: 'number',
          requiresArg: true,
          default: stateSeconds.usual,
          describe: `seconds between two states of a stream while rows flow (0 to ${stateSeconds.most}; 0: with every page)`,
        },
        progress: {
          choices: ['auto', 'always', 'never'],
          requiresArg: true,
          default: 'auto',
          describe: 'a progress line on stderr; auto: if stderr is a terminal',
        },
      } as const,
      ({ catalog, state, stateEvery, streams, limitRows, progress, ...rest }) => {
        if (!(stateEvery >= 0 && stateEvery <= stateSeconds.most))
          throw new Error(`--state-every must be a number from 0 to ${stateSeconds.most}.`);
        if (limitRows !== undefined && !(Number.isSafeInteger(limitRows) && limitRows >= 0))
          throw new Error('--limit-rows must be a whole number, 0 or more.');
        const options = {
          ...configOptions(rest),
          streams: streams === undefined ? null : streams.split(',').map((name) => name.trim()),
          limitRows: limitRows ?? null,
          catalog: catalog ?? null,
          state: state ?? null,
          stateEveryMs: stateEvery * 1000,
          progress,
        };
        invocation = { name: 'read', options };
      },
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
    .wrap(100)
    .exitProcess(false)
    .fail(false);
  try {
    await program.parseAsync([...args], {}, (_error, _argv, output) => {
      text = output;
    });
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    const [named] = program.parsed === false ? [] : program.parsed.argv._;
    // yargs says what may have been meant, and not what was written
    return {
      wrong: usageWords(words.startsWith('Did you mean') ? `Unknown command: ${named}. ${words}` : words),
    };
  }
  return invocation ?? { text: `${text}\n` };
}

function configOptions(given: { readonly config: string; readonly tokenCache: string | undefined }): {
  config: string;
  tokenCache: string | null;
} {
  return { config: given.config, tokenCache: given.tokenCache ?? null };
}

function usageWords(words: string): string {
  const { name } = packageJson;
  const line = words.replaceAll(/\s*\n\s*/g, ' ');
  return `${line.replace(/(?<![?.])\s*$/, '.')} Usage: ${name} spec | check | discover | read; see ${name} --help.`;
}
