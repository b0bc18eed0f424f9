import yargs from 'yargs';
import packageJson from '../package.json' with { type: 'json' };
import type { AboutOptions } from './commands/about.ts';
import type { ConfigOptions } from './commands/connector.ts';
import type { ReadOptions } from './commands/read.ts';
import { nearName } from './config/near-name.ts';
import { configError, messageOf } from './errors.ts';
import { STATE_SECONDS } from './limits.ts';
import { listed, quoted } from './protocol/messages.ts';

/** A parsed command line; `help` covers `--help` and `--version`. */
export type CommandLine =
  | { readonly name: 'help'; readonly text: string }
  | { readonly name: 'spec' }
  | { readonly name: 'check'; readonly options: ConfigOptions }
  | { readonly name: 'discover'; readonly options: ConfigOptions }
  | { readonly name: 'read'; readonly options: ReadOptions }
  | { readonly name: 'about'; readonly options: AboutOptions };

const { name: PROGRAM, version: VERSION } = packageJson;
const MAX_SECONDS = STATE_SECONDS.max;
const EXAMPLES: [command: string, meaning: string][] = [
  ['$0 check --config config.json', 'check whether the streams can be read'],
  ['$0 read --config config.json > out.jsonl', 'read all streams'],
  ['$0 read --config config.json --state out.jsonl', 'resume from the saved output'],
];

const text = (describe: string) => ({ type: 'string', requiresArg: true, describe }) as const;
const flag = (describe: string) => ({ type: 'boolean', default: false, describe }) as const;
const number = (describe: string) => ({ type: 'number', requiresArg: true, describe }) as const;
const configFile = text('JSON file with the configuration (see the spec command for its schema); - is stdin');
const stateEvery = `seconds between two states of a stream during a read (0 to ${MAX_SECONDS}; 0: with every page)`;

const CONFIG = {
  config: { ...configFile, demandOption: true },
  'token-cache': text(
    "directory that keeps tokens between runs; default: $SOURCE_TRAILER_DATA_CACHE, else in the user's cache directory",
  ),
  verbose: flag('log the result of each request to a list, and the origin and expiry of each token'),
} as const;

const READ = {
  ...CONFIG,
  catalog: text('configured catalog, or the output of discover; by default every configured stream is read'),
  state: text('state to resume from: a JSON file, or the saved output of earlier reads'),
  streams: text('streams to read, separated by commas'),
  'limit-rows': number('preview: stop after N rows per stream'),
  'state-every': { ...number(stateEvery), default: STATE_SECONDS.default },
  progress: {
    choices: ['auto', 'always', 'never'],
    requiresArg: true,
    default: 'auto',
    describe: 'show a progress line on stderr; auto: if stderr is a terminal; never if stdout is one',
  },
} as const;

const ABOUT = { config: configFile } as const;

/** Parses a command line; throws a config_error USAGE that explains what is wrong. */
export async function parseCommandLine(typed: readonly string[]): Promise<CommandLine> {
  // what npm and others put before the arguments of a program separates nothing here
  const args = typed.filter((arg) => arg !== '--');
  let line: CommandLine | null = null;
  let printed = '';
  const program = shell()
    .command('spec', 'print the configuration schema', {}, () => {
      line = { name: 'spec' };
    })
    .command('check', 'validate the configuration and request a few rows of each stream', CONFIG, (given) => {
      const { config, tokenCache = null, verbose } = given;
      line = { name: 'check', options: { config, tokenCache, verbose } };
    })
    .command('discover', 'print the catalog: streams and their schemas', CONFIG, (given) => {
      const { config, tokenCache = null, verbose } = given;
      line = { name: 'discover', options: { config, tokenCache, verbose } };
    })
    .command('read', 'print records and states', READ, (given) => {
      const { config, tokenCache = null, verbose, progress } = given;
      const { catalog = null, state = null, limitRows = null } = given;
      if (!(given.stateEvery >= 0 && given.stateEvery <= MAX_SECONDS))
        throw new Error(`--state-every must be a number from 0 to ${MAX_SECONDS}.`);
      if (limitRows !== null && !(Number.isSafeInteger(limitRows) && limitRows >= 0))
        throw new Error('--limit-rows must be a whole number, 0 or more.');
      const stateEveryMs = given.stateEvery * 1000;
      const streams = given.streams?.split(',').map((name) => name.trim()) ?? null;
      const inputs = { config, tokenCache, verbose, catalog, state };
      line = { name: 'read', options: { ...inputs, stateEveryMs, streams, limitRows, progress } };
    })
    .command('about', 'print what a bug report needs, without secrets', ABOUT, ({ config = null }) => {
      line = { name: 'about', options: { config } };
    });
  try {
    expectNoEmptyValue(args);
    expectNoRepeatedOption(args);
    expectFlagValues(args);
    await program.parseAsync([...args], {}, (_error, _argv, output) => {
      printed = output;
    });
  } catch (error) {
    const words = program.parsed === false ? [] : program.parsed.argv._;
    throw configError('USAGE', usageMessage(messageOf(error), words.map(String), args));
  }
  return line ?? { name: 'help', text: printed };
}

/** Throws if a value is empty, as in `--streams "$STREAMS"` if the variable is not set. */
function expectNoEmptyValue(args: readonly string[]): void {
  const at = args.findIndex((arg) => /^(?:--[\w-]+=)?\s*$/.test(arg));
  if (at === -1) return;
  const option = args.slice(0, at + 1).findLast((arg) => arg.startsWith('--'));
  throw new Error(`${option?.replace(/=.*$/s, '') ?? 'the command'} has an empty value.`);
}

/** Throws if an option is given twice: only one of its values would count. */
function expectNoRepeatedOption(args: readonly string[]): void {
  const names = args.flatMap((arg) => /^--[\w-]+/.exec(arg) ?? []);
  const repeated = names.find((name, at) => names.indexOf(name) < at);
  if (repeated === undefined) return;
  const cure = repeated === '--streams' ? ' Separate streams by commas.' : '';
  throw new Error(`${repeated} is given twice, and only one value could count.${cure}`);
}

const FLAGS = Object.entries(READ).flatMap(([name, option]) =>
  'type' in option && option.type === 'boolean' ? [name] : [],
);

/** Throws if the value of a flag is neither true nor false: yargs takes any other for false. */
function expectFlagValues(args: readonly string[]): void {
  const valid = FLAGS.flatMap((name) => [`--${name}=true`, `--${name}=false`]);
  const wrong = FLAGS.find((name) =>
    args.some((arg) => arg.startsWith(`--${name}=`) && !valid.includes(arg)),
  );
  if (wrong !== undefined) throw new Error(`--${wrong} is a flag: give it alone, or as --${wrong}=false.`);
}

const UNKNOWN_COMMAND = 'Unknown command: ';

/** Messages of yargs, with the names as they are typed. */
const STRINGS = {
  'Unknown argument: %s': { one: 'Unknown option: "%s"', other: 'Unknown options: "%s"' },
  'Unknown command: %s': { one: `${UNKNOWN_COMMAND}%s`, other: `${UNKNOWN_COMMAND}%s` },
  'Not enough arguments following: %s': '--%s needs a value',
  'Invalid values:': 'Invalid value:',
  'Argument: %s, Given: %s, Choices: %s': '--%s is %s, but must be one of %s',
} as unknown as Record<string, string>; // the types of yargs do not know plurals

const USAGE =
  '$0 <command>\n\nReads the lists of a fleet telematics service for an ELT platform. Messages are JSON lines on stdout.';

function shell(): ReturnType<typeof yargs> {
  // terminals wrap lines themselves
  const plain = yargs()
    .scriptName(PROGRAM)
    .locale('en')
    .updateStrings(STRINGS)
    .wrap(null)
    .exitProcess(false)
    .fail(false);
  return plain
    .usage(USAGE)
    .example(EXAMPLES)
    .version(VERSION)
    .alias('help', 'h')
    .demandCommand(1, 'Specify a command: spec, check, discover, read or about.')
    .strictCommands()
    .strictOptions()
    .parserConfiguration({
      'duplicate-arguments-array': false,
      // otherwise `--config.x y` and `--no-config` would set an object and a boolean
      'dot-notation': false,
      'boolean-negation': false,
    });
}

const OPTIONS = { spec: {}, check: CONFIG, discover: CONFIG, read: READ, about: ABOUT };

/** How the names of options begin: also with the dashes of documents. */
const DASHES = /^[-\u2010-\u2015\u2212]+(?=[^-])/;

/** The options of a command, and whether each has a value. */
function optionsOf(command: string): ReadonlyMap<string, boolean> {
  const own = Object.entries(OPTIONS).find(([name]) => name === command)?.[1] ?? {};
  const names = Object.keys(own).map((name) => [name, !FLAGS.includes(name)] as const);
  return new Map([...names, ['help', false], ['version', false]]);
}

/** Returns the options, as they are typed, that a command does not have, and the words that are no value of an option. */
function oddArguments(args: readonly string[], command: string) {
  const known = optionsOf(command);
  const options: string[] = [];
  const words: string[] = [];
  let hasValue: boolean | null = false; // of the option before; null if it is not known
  for (const arg of args) {
    const [dashes] = DASHES.exec(arg) ?? [];
    const isValue: boolean = hasValue === true || (hasValue === null && dashes === undefined);
    hasValue = false;
    if (isValue) continue;
    if (dashes === undefined) {
      words.push(arg);
      continue;
    }
    const [name = ''] = arg.slice(dashes.length).split('=', 1);
    const found =
      dashes === '--'
        ? known.get(name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))
        : undefined;
    const isAlias = arg === '-h';
    if (found === undefined && !isAlias) options.push(dashes + name);
    if (!arg.includes('=') && !isAlias) hasValue = found ?? null;
  }
  return { options: [...new Set(options)], words: words.filter((_, at) => at !== words.indexOf(command)) };
}

/** Returns the option that a misspelled one most likely means: a near name, or one that begins with it or is part of it. */
function nearOption(typed: string, known: readonly string[]): string | null {
  const name = typed.replace(DASHES, '').toLowerCase().replaceAll('_', '-');
  const related = known.find((each) => name !== '' && (each.startsWith(name) || name.includes(each)));
  return nearName(name, known) ?? related ?? null;
}

function unknownOptions(typed: readonly string[], command: string): string {
  const known = [...optionsOf(command).keys()];
  const near = typed.map((each) => nearOption(each, known)).find((each) => each !== null);
  const lead = typed.length === 1 ? 'Unknown option' : 'Unknown options';
  const shown = typed.map((each) => (NAME.test(each.replace(DASHES, '')) ? quoted(each) : 'a word'));
  return `${lead}: ${listed(shown, String)}${near === undefined ? '' : `. Did you mean --${near}?`}`;
}

/** Says that a command lacks its config, and what was typed instead. */
function missingConfig(args: readonly string[], command: string): string {
  const lead = `${command} needs --config FILE, a JSON file with the configuration`;
  const {
    options,
    words: [word],
  } = oddArguments(args, command);
  if (options.length > 0) return `${lead}. ${unknownOptions(options, command)}`;
  if (word === undefined) return lead;
  const [name = ''] = word.replace(/^\/+/, '').split('=', 1);
  const path = NAME.test(word) ? ` ${word}` : '';
  const meant = nearName(name, ['config']) === null ? path : '';
  return `${lead}. ${wordOf(word)} belongs to no option. Did you mean --config${meant}?`;
}

const COMMANDS = ['spec', 'check', 'discover', 'read', 'about'];

/** What may be quoted: neither a part of a document nor a value of one, which may be a secret. */
const NAME = /^[\w./*=+-]+$/;

const wordOf = (word: string): string => (NAME.test(word) ? quoted(word) : 'A word');

/** Explains words that are no command, or too many. */
function unknownWord([command = '', second = '']: readonly string[]): string {
  if (!COMMANDS.includes(command)) {
    const near = nearName(command, COMMANDS);
    const problem = `${UNKNOWN_COMMAND}${NAME.test(command) ? quoted(command) : 'the first word'}`;
    return near === null ? problem : `${problem}. Did you mean ${near}?`;
  }
  return COMMANDS.includes(second)
    ? `There are two commands, ${command} and ${second}; give one`
    : `${wordOf(second)} belongs to no option: each has one value, and those of files are paths`;
}

function usageMessage(message: string, words: readonly string[], args: readonly string[]): string {
  const line = problemOf(message, words, args)
    .replaceAll(/\s*\n\s*/g, ' ')
    .replace(/(?<![?.])\s*$/, '.');
  return `${line} Usage: ${PROGRAM} ${COMMANDS.join(' | ')}; see ${PROGRAM} --help.`;
}

/** What is wrong with a command line, by the message of yargs. */
function problemOf(message: string, words: readonly string[], args: readonly string[]): string {
  const command = String(words[0]);
  if (message.startsWith(UNKNOWN_COMMAND)) return unknownWord(words);
  if (message === 'Missing required argument: config') return missingConfig(args, command);
  const { options } = oddArguments(args, command);
  return message.startsWith('Unknown option') && options.length > 0
    ? unknownOptions(options, command)
    : message;
}
