import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { errors } from '../../support/run-views.ts';
import { startConnector } from '../../support/start-connector.ts';
import { useTestBed } from '../../support/test-bed.ts';

const bed = useTestBed();

describe.concurrent('wrong usage: exit code 2, and a TRACE ERROR that says what is wrong', () => {
  const config = { auth_url: 'https://a.example', client_id: 'me', client_secret: 'x' };
  const assets = { base_url: 'https://b.example' };
  test.concurrent.each([
    ['no command', [], /command is missing/i],
    ['an unknown command', ['chek'], /^Unknown command: chek\. Did you mean check\? Usage: /],
    ['no config', ['read', '--state', 'state.json'], /Missing required argument: config\. Usage: /],
    ['an unknown option', ['read', '--config', 'c', '--stat', 's'], /^Unknown argument: stat\. Usage: /],
    [
      'an unknown stream',
      ['read', '--streams', 'assets,trucks'],
      /^--streams names trucks; there is assets to /,
    ],
  ])('%s', async (title, args, words) => {
    const inputs = title === 'an unknown stream' ? { config: { ...config, assets } } : {};
    const run = await bed.run(args, inputs);
    expect(run.code).toBe(2);
    expect(errors(run)).toMatchObject([
      { failure_type: 'config_error', message: expect.stringMatching(words) },
    ]);
  });
});

test.concurrent.each([
  ['--help', /spec[^]*check[^]*discover[^]*read/],
  ['--version', /^\d+\.\d+\.\d+\n$/],
])('%s is for people: text on stdout', async (flag, words) => {
  const started = startConnector([flag], { folder: tmpdir() });
  const stdout = await text(started.stdout);
  expect(await started.exit).toStrictEqual({ code: 0, signal: null, stderr: '' });
  expect(stdout).toMatch(words);
});
