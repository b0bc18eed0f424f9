import { expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { parseCommandLine } from './cli.ts';
import { isConnectorError } from './errors.ts';

const COMMON = { tokenCache: null, verbose: false };
const READ = {
  ...COMMON,
  catalog: null,
  state: null,
  stateEveryMs: 5000,
  streams: null,
  limitRows: null,
  progress: 'auto',
};

test.each<[line: string, options: object]>([
  ['check --config c.json', { ...COMMON, config: 'c.json' }],
  ['check --config=c.json', { ...COMMON, config: 'c.json' }],
  ['--config c.json check', { ...COMMON, config: 'c.json' }],
  ['-- check -- --config c.json --', { ...COMMON, config: 'c.json' }],
  ['check --config c.json --verbose', { ...COMMON, config: 'c.json', verbose: true }],
  ['check --verbose --config c.json', { ...COMMON, config: 'c.json', verbose: true }],
  ['discover --config c.json', { ...COMMON, config: 'c.json' }],
  ['discover --verbose --config c.json', { ...COMMON, config: 'c.json', verbose: true }],
  ['read --config c.json', { ...READ, config: 'c.json' }],
  ['read --config c --catalog k --state s', { ...READ, config: 'c', catalog: 'k', state: 's' }],
  ['read --state=s --catalog=k --config=c', { ...READ, config: 'c', catalog: 'k', state: 's' }],
  ['read --config 007 --state 1e3', { ...READ, config: '007', state: '1e3' }],
  ['read --config c --state-every 0.5', { ...READ, config: 'c', stateEveryMs: 500 }],
  ['read --config=a=b --state /dev/stdin', { ...READ, config: 'a=b', state: '/dev/stdin' }],
  [
    'read --config c --streams assets,alarms --limit-rows 5',
    { ...READ, config: 'c', streams: ['assets', 'alarms'], limitRows: 5 },
  ],
  ['read --config c --verbose', { ...READ, config: 'c', verbose: true }],
  ['read --config c --progress never', { ...READ, config: 'c', progress: 'never' }],
  ['read --config c --progress=always', { ...READ, config: 'c', progress: 'always' }],
  ['check --config c --token-cache d', { ...COMMON, config: 'c', tokenCache: 'd' }],
])('%s', async (line, options) => {
  const name = /check|discover|read/.exec(line)?.[0];
  expect(await parseCommandLine(line.split(' '))).toStrictEqual({ name, options });
});

test('a path keeps spaces and other characters', async () => {
  const config = 'my dir/ü "c".json';
  const line = await parseCommandLine(['check', '--config', config]);
  expect(line).toStrictEqual({ name: 'check', options: { ...COMMON, config } });
});

async function usageError(args: readonly string[]): Promise<string> {
  const error: unknown = await parseCommandLine(args).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(isConnectorError(error, 'USAGE')).toBe(true);
  return (error as Error).message;
}

test('wrong usage is explained, with a pointer to --help', async () => {
  const lines = [
    [],
    ['nothing'],
    ['chekc', '--config', 'c'],
    ['spec', 'check'],
    ['check'],
    ['check', '--config'],
    ['check', '--config', 'c', '--state', 's'],
    ['check', '--config', 'c', 'more'],
    ['check', '--config.file', 'c'],
    ['check', '--no-config'],
    ['read', 'read', '--config', 'c'],
    ['read', '--config', 'c', '--state', 'a', '--state=b'],
    ['read', '--config', 'c', '--streams', 'assets', '--streams', 'alarms'],
    ['sync', '--config', 'c'],
    ['read', '--config', 'c', '--catalog'],
    ['read', '--config', 'c', '--sate', 's'],
    ['read', '--config', 'c', '--progress', 'often'],
    ['read', '--config', 'c', '--verbos'],
    ['read', '--config', 'c', '--catalogue', 'x', '--full-refresh'],
    ['spec', '--config', 'c'],
    ['spec', '-x'],
    ['read', '--confg', 'c.json'],
    ['check', '--Config', 'c.json'],
    ['check', '--config_file=c.json', '--verbose', 'true'],
    ['check', '-c', 'c.json'],
    ['check', '-config', 'c.json'],
    ['check', '\u2014config', 'c.json'],
    ['check', '--tokenCache', 'd', '--file', 'c.json'],
    ['check', '--\u00fcber', 'c.json'],
    ['check', '-'],
    ['check', '/config', 'c.json'],
    ['check', 'config=c.json'],
    ['check', '{a}'],
    ['check', '--config', 'c', '-verbose'],
  ];
  const messages: string[] = [];
  for (const line of lines) messages.push(`${line.join(' ')}: ${await usageError(line)}`);
  expect(messages.join('\n')).toMatchInlineSnapshot(`
    ": Specify a command: spec, check, discover, read or about. Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    nothing: Unknown command: "nothing". Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    chekc --config c: Unknown command: "chekc". Did you mean check? Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    spec check: There are two commands, spec and check; give one. Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    check: check needs --config FILE, a JSON file with the configuration. Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    check --config: --config needs a value. Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    check --config c --state s: Unknown option: "--state". Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    check --config c more: "more" belongs to no option: each has one value, and those of files are paths. Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    check --config.file c: check needs --config FILE, a JSON file with the configuration. Unknown option: "--config.file". Did you mean --config? Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    check --no-config: check needs --config FILE, a JSON file with the configuration. Unknown option: "--no-config". Did you mean --config? Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    read read --config c: There are two commands, read and read; give one. Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    read --config c --state a --state=b: --state is given twice, and only one value could count. Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    read --config c --streams assets --streams alarms: --streams is given twice, and only one value could count. Separate streams by commas. Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    sync --config c: Unknown command: "sync". Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    read --config c --catalog: --catalog needs a value. Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    read --config c --sate s: Unknown option: "--sate". Did you mean --state? Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    read --config c --progress often: Invalid value: --progress is "often", but must be one of "auto", "always", "never". Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    read --config c --verbos: Unknown option: "--verbos". Did you mean --verbose? Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    read --config c --catalogue x --full-refresh: Unknown options: "--catalogue", "--full-refresh". Did you mean --catalog? Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    spec --config c: Unknown option: "--config". Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    spec -x: Unknown option: "-x". Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    read --confg c.json: read needs --config FILE, a JSON file with the configuration. Unknown option: "--confg". Did you mean --config? Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    check --Config c.json: check needs --config FILE, a JSON file with the configuration. Unknown option: "--Config". Did you mean --config? Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    check --config_file=c.json --verbose true: check needs --config FILE, a JSON file with the configuration. Unknown option: "--config_file". Did you mean --config? Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    check -c c.json: check needs --config FILE, a JSON file with the configuration. Unknown option: "-c". Did you mean --config? Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    check -config c.json: check needs --config FILE, a JSON file with the configuration. Unknown option: "-config". Did you mean --config? Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    check —config c.json: check needs --config FILE, a JSON file with the configuration. Unknown option: "—config". Did you mean --config? Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    check --tokenCache d --file c.json: check needs --config FILE, a JSON file with the configuration. Unknown option: "--file". Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    check --über c.json: check needs --config FILE, a JSON file with the configuration. Unknown option: a word. Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    check -: check needs --config FILE, a JSON file with the configuration. "-" belongs to no option. Did you mean --config -? Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    check /config c.json: check needs --config FILE, a JSON file with the configuration. "/config" belongs to no option. Did you mean --config? Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    check config=c.json: check needs --config FILE, a JSON file with the configuration. "config=c.json" belongs to no option. Did you mean --config? Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    check {a}: check needs --config FILE, a JSON file with the configuration. A word belongs to no option. Did you mean --config? Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help.
    check --config c -verbose: Unknown option: "-verbose". Did you mean --verbose? Usage: source-trailer-data spec | check | discover | read | about; see source-trailer-data --help."
  `);
});

test('a document in place of a path, with or without quotes around it, appears in no message', async () => {
  const document = JSON.stringify({ client_id: 'me', client_secret: 'canary 0123456789', x: 5 }, null, 1);
  const powerShell = document.replaceAll('"', '').split('\n');
  for (const words of [document.split(/\s+/), powerShell, document.split('"')])
    for (const args of [['check', '--config', ...words], words, ['check', ...words]])
      expect(await usageError(args)).not.toMatch(/canary|0123/);
});

test('spec', async () => {
  expect(await parseCommandLine(['spec'])).toStrictEqual({ name: 'spec' });
});

test.each([
  [['about'], null],
  [['about', '--config', 'c'], 'c'],
])('%j', async (args, config) => {
  expect(await parseCommandLine(args)).toStrictEqual({ name: 'about', options: { config } });
});

test('--version', async () => {
  expect(await textOf(['--version'])).toBe(`${packageJson.version}\n`);
});

async function textOf(args: readonly string[]): Promise<string> {
  const line = await parseCommandLine(args);
  return line.name === 'help' ? `${line.text}\n` : '';
}

test('--help lists every command and option, and runs nothing', async () => {
  expect(await textOf(['--help'])).toMatchInlineSnapshot(`
    "source-trailer-data <command>

    Reads the lists of a fleet telematics service for an ELT platform. Messages are JSON lines on stdout.

    Commands:
      source-trailer-data spec      print the configuration schema
      source-trailer-data check     validate the configuration and request a few rows of each stream
      source-trailer-data discover  print the catalog: streams and their schemas
      source-trailer-data read      print records and states
      source-trailer-data about     print what a bug report needs, without secrets

    Options:
      -h, --help     Show help  [boolean]
          --version  Show version number  [boolean]

    Examples:
      source-trailer-data check --config config.json                   check whether the streams can be read
      source-trailer-data read --config config.json > out.jsonl        read all streams
      source-trailer-data read --config config.json --state out.jsonl  resume from the saved output
    "
  `);
  expect(await textOf(['read', '--help'])).toMatchInlineSnapshot(`
    "source-trailer-data read

    print records and states

    Options:
      -h, --help         Show help  [boolean]
          --version      Show version number  [boolean]
          --config       JSON file with the configuration (see the spec command for its schema); - is stdin  [string] [required]
          --token-cache  directory that keeps tokens between runs; default: $SOURCE_TRAILER_DATA_CACHE, else in the user's cache directory  [string]
          --verbose      log the result of each request to a list, and the origin and expiry of each token  [boolean] [default: false]
          --catalog      configured catalog, or the output of discover; by default every configured stream is read  [string]
          --state        state to resume from: a JSON file, or the saved output of earlier reads  [string]
          --streams      streams to read, separated by commas  [string]
          --limit-rows   preview: stop after N rows per stream  [number]
          --state-every  seconds between two states of a stream during a read (0 to 15; 0: with every page)  [number] [default: 5]
          --progress     show a progress line on stderr; auto: if stderr is a terminal; never if stdout is one  [choices: "auto", "always", "never"] [default: "auto"]
    "
  `);
  expect(await textOf(['check', '--help'])).toMatchInlineSnapshot(`
    "source-trailer-data check

    validate the configuration and request a few rows of each stream

    Options:
      -h, --help         Show help  [boolean]
          --version      Show version number  [boolean]
          --config       JSON file with the configuration (see the spec command for its schema); - is stdin  [string] [required]
          --token-cache  directory that keeps tokens between runs; default: $SOURCE_TRAILER_DATA_CACHE, else in the user's cache directory  [string]
          --verbose      log the result of each request to a list, and the origin and expiry of each token  [boolean] [default: false]
    "
  `);
  expect(await textOf(['read', '--config', 'c', '--help'])).toBe(await textOf(['read', '--help']));
});

test.each(['soon', '-1', '16'])('--state-every %s is rejected', async (seconds) => {
  await expect(parseCommandLine(['read', '--config', 'c', `--state-every=${seconds}`])).rejects.toThrow(
    '--state-every must be a number from 0 to 15.',
  );
});

test.each([
  ['--streams', ['--streams', '']],
  ['--streams', ['--streams=']],
  ['--limit-rows', ['--limit-rows', ' ']],
  ['--state', ['--state', '', '--streams', 'assets']],
])('%s without a value is rejected', async (option, args) => {
  expect(await usageError(['read', '--config', 'c', ...args])).toMatch(
    new RegExp(`^${option} has an empty value\\. Usage: `),
  );
});

test.each([
  ['yes', null],
  ['0', null],
  ['FALSE', null],
  ['true', true],
  ['false', false],
])('--verbose=%s', async (value, verbose) => {
  const args = ['check', '--config', 'c', `--verbose=${value}`];
  if (verbose === null)
    expect(await usageError(args)).toMatch(/^--verbose is a flag: give it alone, or as --verbose=false\./);
  else expect(await parseCommandLine(args)).toMatchObject({ options: { verbose } });
});
