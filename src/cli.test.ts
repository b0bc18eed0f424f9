import { afterEach, expect, test, vi } from 'vitest';

import packageJson from '../package.json' with { type: 'json' };
import spec from '../spec.json' with { type: 'json' };
import { parseCommandLine } from './cli.ts';
import { runCheck } from './commands/check.ts';
import { runDiscover } from './commands/discover.ts';
import type { OwnProcess } from './commands/connector.ts';
import { runRead } from './commands/read.ts';
import { systemWorld } from './commands/with-config.ts';
import { isConnectorError } from './errors.ts';

vi.mock('./commands/check.ts', () => ({ runCheck: vi.fn(async () => 12) }));
vi.mock('./commands/discover.ts', () => ({ runDiscover: vi.fn(async () => 13) }));
vi.mock('./commands/read.ts', () => ({ runRead: vi.fn(async () => 14) }));

afterEach(() => {
  vi.clearAllMocks();
});

const own = { signal: new AbortController().signal } as OwnProcess;

/** The exit code of the command that a line asks for, and what it is called with. */
async function called(args: readonly string[]): Promise<unknown[]> {
  const command = await parseCommandLine(args);
  const exitCode = await command(own);
  const calls = [runCheck, runDiscover, runRead].flatMap(
    (run) => vi.mocked(run as (...given: unknown[]) => Promise<number>).mock.calls,
  );
  expect(calls).toHaveLength(1);
  expect(calls[0]?.at(-1)).toStrictEqual({ ...own, ...systemWorld });
  return [exitCode, ...(calls[0] ?? []).slice(0, -1)];
}

const CHECK = { tokenCache: null, verbose: false };
const READ = {
  catalog: null,
  state: null,
  stateEveryMs: 5000,
  streams: null,
  limitRows: null,
  progress: 'auto',
  tokenCache: null,
};

test.each<[line: string, expected: unknown[]]>([
  ['check --config c.json', [12, { ...CHECK, config: 'c.json' }]],
  ['check --config=c.json', [12, { ...CHECK, config: 'c.json' }]],
  ['--config c.json check', [12, { ...CHECK, config: 'c.json' }]],
  ['check --config c.json --verbose', [12, { ...CHECK, config: 'c.json', verbose: true }]],
  ['check --verbose --config c.json', [12, { ...CHECK, config: 'c.json', verbose: true }]],
  ['discover --config c.json', [13, { config: 'c.json', tokenCache: null }]],
  ['read --config c.json', [14, { ...READ, config: 'c.json' }]],
  ['read --config c --catalog k --state s', [14, { ...READ, config: 'c', catalog: 'k', state: 's' }]],
  ['read --state=s --catalog=k --config=c', [14, { ...READ, config: 'c', catalog: 'k', state: 's' }]],
  ['read --config 007 --state 1e3', [14, { ...READ, config: '007', state: '1e3' }]],
  ['read --config c --state-every 0.5', [14, { ...READ, config: 'c', stateEveryMs: 500 }]],
  ['read --config=a=b --state /dev/stdin', [14, { ...READ, config: 'a=b', state: '/dev/stdin' }]],
  [
    'read --config c --streams assets,alarms --limit-rows 5',
    [14, { ...READ, config: 'c', streams: ['assets', 'alarms'], limitRows: 5 }],
  ],
  ['read --config c --progress never', [14, { ...READ, config: 'c', progress: 'never' }]],
  ['read --config c --progress=always', [14, { ...READ, config: 'c', progress: 'always' }]],
  ['check --config c --token-cache d', [12, { ...CHECK, config: 'c', tokenCache: 'd' }]],
  ['check --config one --config two', [12, { ...CHECK, config: 'two' }]],
])('%s', async (line, expected) => {
  expect(await called(line.split(' '))).toStrictEqual(expected);
});

test('a path keeps its blanks and other characters', async () => {
  expect(await called(['check', '--config', 'my dir/ü "c".json'])).toStrictEqual([
    12,
    { ...CHECK, config: 'my dir/ü "c".json' },
  ]);
});

async function usageError(args: readonly string[]): Promise<string> {
  const error: unknown = await parseCommandLine(args).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(isConnectorError(error, 'USAGE')).toBe(true);
  return (error as Error).message;
}

test('wrong usage says what is wrong and where to read on', async () => {
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
    ['read', '--config', 'c', '--catalog'],
    ['read', '--config', 'c', '--sate', 's'],
    ['read', '--config', 'c', '--progress', 'often'],
    ['read', '--config', 'c', '--verbose'],
    ['spec', '--config', 'c'],
    ['spec', '-x'],
  ];
  const messages: string[] = [];
  for (const line of lines) messages.push(`${line.join(' ')}: ${await usageError(line)}`);
  expect(messages.join('\n')).toMatchInlineSnapshot(`
    ": A command is missing: spec, check, discover or read. Usage: source-trailer-data spec | check | discover | read; see source-trailer-data --help.
    nothing: Unknown command: nothing. Usage: source-trailer-data spec | check | discover | read; see source-trailer-data --help.
    chekc --config c: Unknown command: chekc. Did you mean check? Usage: source-trailer-data spec | check | discover | read; see source-trailer-data --help.
    spec check: Unknown command: check. Usage: source-trailer-data spec | check | discover | read; see source-trailer-data --help.
    check: Missing required argument: config. Usage: source-trailer-data spec | check | discover | read; see source-trailer-data --help.
    check --config: Not enough arguments following: config. Usage: source-trailer-data spec | check | discover | read; see source-trailer-data --help.
    check --config c --state s: Unknown argument: state. Usage: source-trailer-data spec | check | discover | read; see source-trailer-data --help.
    check --config c more: Unknown command: more. Usage: source-trailer-data spec | check | discover | read; see source-trailer-data --help.
    check --config.file c: Missing required argument: config. Usage: source-trailer-data spec | check | discover | read; see source-trailer-data --help.
    check --no-config: Missing required argument: config. Usage: source-trailer-data spec | check | discover | read; see source-trailer-data --help.
    read --config c --catalog: Not enough arguments following: catalog. Usage: source-trailer-data spec | check | discover | read; see source-trailer-data --help.
    read --config c --sate s: Unknown argument: sate. Usage: source-trailer-data spec | check | discover | read; see source-trailer-data --help.
    read --config c --progress often: Invalid values: Argument: progress, Given: "often", Choices: "auto", "always", "never". Usage: source-trailer-data spec | check | discover | read; see source-trailer-data --help.
    read --config c --verbose: Unknown argument: verbose. Usage: source-trailer-data spec | check | discover | read; see source-trailer-data --help.
    spec --config c: Unknown argument: config. Usage: source-trailer-data spec | check | discover | read; see source-trailer-data --help.
    spec -x: Unknown argument: x. Usage: source-trailer-data spec | check | discover | read; see source-trailer-data --help."
  `);
});

test('spec is printed', async () => {
  const sent: unknown[] = [];
  const send = async (...messages: unknown[]): Promise<void> => void sent.push(...messages);
  const command = await parseCommandLine(['spec']);
  expect(await command({ writer: { send } } as unknown as OwnProcess)).toBe(0);
  expect(sent).toStrictEqual([{ type: 'SPEC', spec }]);
});

test('--version', async () => {
  expect(await textOf(['--version'])).toBe(`${packageJson.version}\n`);
});

async function textOf(args: readonly string[]): Promise<string> {
  const written: Buffer[] = [];
  const write = async (lines: Buffer): Promise<void> => void written.push(lines);
  const command = await parseCommandLine(args);
  expect(await command({ writer: { write } } as unknown as OwnProcess)).toBe(0);
  for (const run of [runCheck, runDiscover, runRead]) expect(run).not.toHaveBeenCalled();
  return Buffer.concat(written).toString();
}

test('--help names every command and option, and runs nothing', async () => {
  expect(await textOf(['--help'])).toMatchInlineSnapshot(`
    "source-trailer-data <command>

    Reads fleet assets and trailer alarms for an ELT platform. Messages are JSON lines on stdout.

    Commands:
      source-trailer-data spec      print the form of the configuration
      source-trailer-data check     validate the configuration and ask each stream for one row
      source-trailer-data discover  print the catalog: streams and their schemas
      source-trailer-data read      print records and states

    Options:
      --help     Show help  [boolean]
      --version  Show version number  [boolean]

    Examples:
      source-trailer-data check --config config.json                   can the streams be read with this config?
      source-trailer-data read --config config.json > out.jsonl        read everything
      source-trailer-data read --config config.json --state out.jsonl  go on where the saved output ends
    "
  `);
  expect(await textOf(['read', '--help'])).toMatchInlineSnapshot(`
    "source-trailer-data read

    print records and states

    Options:
      --help         Show help  [boolean]
      --version      Show version number  [boolean]
      --config       JSON file with the configuration (its form: see the command spec)  [string] [required]
      --token-cache  folder where tokens are kept between runs; without it one in the user's cache directory  [string]
      --catalog      JSON file with the configured catalog; without it every configured stream is read  [string]
      --state        where to go on: a state in JSON, or the saved output of earlier reads  [string]
      --streams      only these streams, separated by commas  [string]
      --limit-rows   for a look at the data: stop after so many rows of each stream  [number]
      --state-every  seconds between two states of a stream while rows flow (0 to 15; 0: with every page)  [number] [default: 5]
      --progress     a progress line on stderr; auto: if stderr is a terminal  [choices: "auto", "always", "never"] [default: "auto"]
    "
  `);
  expect(await textOf(['check', '--help'])).toMatchInlineSnapshot(`
    "source-trailer-data check

    validate the configuration and ask each stream for one row

    Options:
      --help         Show help  [boolean]
      --version      Show version number  [boolean]
      --config       JSON file with the configuration (its form: see the command spec)  [string] [required]
      --token-cache  folder where tokens are kept between runs; without it one in the user's cache directory  [string]
      --verbose      a table on stderr: what was asked, each answer, which token, what is missing  [boolean] [default: false]
    "
  `);
  expect(await textOf(['read', '--config', 'c', '--help'])).toBe(await textOf(['read', '--help']));
});

test.each(['soon', '-1', '16'])('--state-every %s is refused', async (seconds) => {
  await expect(parseCommandLine(['read', '--config', 'c', `--state-every=${seconds}`])).rejects.toThrow(
    '--state-every must be a number from 0 to 15.',
  );
});
