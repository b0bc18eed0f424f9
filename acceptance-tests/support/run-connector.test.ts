import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { runConnector } from './run-connector.ts';

describe('a run is checked', () => {
  test('and may pass', async () => {
    const run = await runConnector(['spec'], { folder: tmpdir(), secrets: ['not-in-it'] });
    expect([run.code, run.messages.length]).toStrictEqual([0, 1]);
  });

  test.each<[string, string[], string[], RegExp]>([
    ['a secret in the output', ['spec'], ['auth_url'], /a secret is in the output/],
    ['a line that is not a message', ['--version'], [], /^line 1: /],
  ])('%s fails it', async (_, args, secrets, words) => {
    const run = runConnector(args, { folder: tmpdir(), secrets });
    await expect(run).rejects.toThrow(words);
  });
});
