import { text } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { errors } from '../../support/run-views.ts';
import { startConnector } from '../../support/start-connector.ts';
import { useTestBed } from '../../support/test-bed.ts';

const bed = useTestBed();

describe.concurrent('wrong usage: exit code 2, and a TRACE ERROR that says what is wrong', () => {
  test.concurrent.each([
    ['no command', [], /command is missing/i],
    ['an unknown command', ['trips', '--config', 'config.json'], /^Unknown command: trips\. Usage: /],
    ['one like another', ['--config', 'c', 'raed'], /^Unknown command: raed\. Did you mean read\? Usage: /],
    ['one like another, alone', ['chek'], /^Unknown command: chek\. Did you mean check\? Usage: /],
    ['two commands', ['spec', 'check'], /check|more than one/i],
    ['check without --config', ['check'], /config/],
    ['discover without --config', ['discover'], /config/],
    ['read without --config', ['read'], /config/],
    ['--config without a value', ['read', '--config'], /config/],
    ['an unknown option', ['read', '--config', 'config.json', '--stat', 'state.json'], /stat/],
  ])('%s', async (_, args, words) => {
    const run = await bed.run(args, {});
    expect(run.code).toBe(2);
    expect(errors(run)).toHaveLength(1);
    expect(errors(run)[0]).toMatchObject({ failure_type: 'config_error' });
    expect(errors(run)[0]?.message).toMatch(words);
  });
});

describe.concurrent('text for people on stdout', () => {
  test.concurrent.each([
    ['--help', /spec[^]*check[^]*discover[^]*read/],
    ['--version', /^\d+\.\d+\.\d+\n$/],
  ])('%s', async (flag, words) => {
    const started = startConnector([flag], { folder: tmpdir() });
    const stdout = await text(started.stdout);
    expect(await started.exit).toStrictEqual({ code: 0, signal: null, stderr: '' });
    expect(stdout).toMatch(words);
  });
});
