import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { temporaryDirectory, temporaryFile } from '../../../src/config/temporary-file.test-support.ts';
import { startConnector, type StartOptions } from '../../support/start-connector.ts';

interface Ended {
  readonly exitCode: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

const start = (args: readonly string[], options: Partial<StartOptions>) =>
  startConnector(args, { folder: temporaryDirectory(), ...options });

async function run(args: readonly string[], options: Partial<StartOptions>): Promise<Ended> {
  const { stdout, exit } = start(args, options);
  const [printed, { code, stderr }] = await Promise.all([text(stdout), exit]);
  return { exitCode: code, stdout: printed, stderr };
}

test('--version and spec need no config', async () => {
  const [version, spec] = await Promise.all([run(['--version'], {}), run(['spec'], {})]);
  expect(version).toStrictEqual({ exitCode: 0, stdout: `${packageJson.version}\n`, stderr: '' });
  expect([spec.exitCode, spec.stderr, spec.stdout.split('\n').length]).toStrictEqual([0, '', 2]);
  expect(JSON.parse(spec.stdout)).toHaveProperty('spec.connectionSpecification.required');
});

test('every failure is a TRACE ERROR on stdout, and stderr stays silent', async () => {
  const config = temporaryFile(
    '{"auth_url":"https://a.example","client_id":"me","client_secret":"canary","assets":{"base_url":"https://b.example"}}',
  );
  const [usage, noConfig, noState] = await Promise.all([
    run(['read'], {}),
    run(['read', '--config', join(temporaryDirectory(), 'none')], {}),
    run(['read', '--config', config, '--state', join(temporaryDirectory(), 'none')], {}),
  ]);
  const seen = [usage, noConfig, noState].map(({ exitCode, stdout, stderr }) => {
    const { trace } = JSON.parse(stdout) as { trace: { type: string; error: Record<string, string> } };
    return [exitCode, stderr, trace.type, trace.error['failure_type'], trace.error['internal_message']];
  });
  expect(seen).toStrictEqual([
    [2, '', 'ERROR', 'config_error', 'USAGE'],
    [1, '', 'ERROR', 'config_error', 'CONFIG_INVALID'],
    [1, '', 'ERROR', 'config_error', 'STATE_INVALID'],
  ]);
});

test.each([
  ['a command', ['spec'], 1],
  ['a failure', ['read'], 2],
])('if nobody reads stdout, %s ends silently', async (_, args, expected) => {
  const { stdout, exit } = start(args, {});
  stdout.destroy();
  expect(await exit).toStrictEqual({ code: expected, signal: null, stderr: '' });
});

const CONFIG = JSON.stringify({ auth_url: 'https://a.example', client_id: 'me', client_secret: 'canary' });
const through = (command: string): Partial<StartOptions> => ({ through: ['bash', '-c', command] });

test.each<[kind: string, options: Partial<StartOptions>]>([
  ['a socket', { stdin: CONFIG }],
  ['a pipe', through(`printf %s '${CONFIG}' | "$0" "$@"`)],
  ['a file', through(`"$0" "$@" <<< '${CONFIG}'`)],
])('an input can be read from stdin by any of its names: %s', async (_, options) => {
  const paths = ['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'];
  const runs = await Promise.all(paths.map((path) => run(['check', '--config', path], options)));
  for (const [at, { stdout, stderr, exitCode }] of runs.entries()) {
    expect([exitCode, stderr]).toStrictEqual([0, '']);
    expect(stdout).toContain(`config ${paths[at]}: no stream is configured`);
  }
});

test('a socket is no second input, by whatever name', async () => {
  const env = { SOURCE_TRAILER_DATA_CLIENT_SECRET_FILE: '/dev/stdin' };
  const { stdout } = await run(['check', '--config', '-'], { stdin: '{"client_id":"me"}', env });
  expect(stdout).toContain(
    'SOURCE_TRAILER_DATA_CLIENT_SECRET_FILE: can be read only once, and was read already',
  );
});

test('a working folder that was deleted matters only to paths inside it', async () => {
  const config = temporaryFile(CONFIG);
  const inside = through('mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"');
  const [spec, absolute, relative] = await Promise.all([
    run(['spec'], inside),
    run(['check', '--config', config, '--token-cache', 'tokens'], inside),
    run(['check', '--config', 'config.json'], inside),
  ]);
  expect([spec, absolute, relative].map(({ exitCode, stderr }) => [exitCode, stderr])).toStrictEqual([
    [0, ''],
    [0, ''],
    [0, ''],
  ]);
  expect(spec.stdout).toContain('connectionSpecification');
  expect(absolute.stdout).toContain('no stream is configured');
  expect(relative.stdout).toContain('config config.json: there is no such file');
});
