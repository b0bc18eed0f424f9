import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readOutput, startAs, useFolder } from './process-rig.ts';
import type { Ended } from './process-rig.ts';
import { useTestBed } from '../../support/test-bed.ts';

const bed = useTestBed();

/** A check; `home` holds the token cache. */
async function check(home: string, config: object, ...more: readonly string[]): Promise<Ended> {
  const cache = ['--token-cache', join(home, 'tokens')];
  return readOutput(await startAs('check', { config }, { more: [...cache, ...more] })).ended();
}

/** The texts of the kept tokens. */
async function tokensIn(home: string): Promise<string[]> {
  const folder = join(home, 'tokens');
  const texts = await Promise.all(
    (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
  );
  return texts.flatMap((text) =>
    [...text.matchAll(/"accessToken":"([^"]+)"/g)].map(([, token]) => token ?? ''),
  );
}

/** What was asked, one a line: with what, what came, how many rows, of how many. */
function asked(report: string): string[] {
  return report
    .split('\n')
    .filter((line) => /^(GET|POST) /.test(line))
    .map((line) => line.split(/ {2,}/).slice(0, 5).join(' | '))
    .toSorted();
}

test('check --verbose: stdout as without it, a table on stderr, and no secret in it', async () => {
  const world = await bed.world({ assets: 1234, alarms: 10, options: { permissions: { alarms: false } } });
  const home = await useFolder();
  const verbose = await check(home, world.config, '--verbose');
  const again = await check(home, world.config, '--verbose');
  const quiet = await check(home, world.config);
  expect(quiet.stderr).toBe('');
  expect(verbose.stdout.toString()).toBe(quiet.stdout.toString());
  expect([verbose.code, again.code, quiet.code]).toStrictEqual([0, 0, 0]);
  const { auth_url, client_secret, assets, alarms } = world.config;

  const lists = [
    expect.stringMatching(`^GET ${alarms.base_url}/v1/alarms \\| limit=\\d+ \\| 403 \\| - \\| -$`),
    `GET ${assets.base_url}/v1/assets | limit=1&offset=0 | 200 | 1 | 1,234`,
  ];
  expect(asked(verbose.stderr)).toStrictEqual([...lists, `POST ${auth_url} | audience API | issued | - | -`]);
  expect(asked(again.stderr)).toStrictEqual(lists);
  expect(verbose.stderr).toMatch(/^API +asked for now +20\d\d-\d\d-\d\d .* UTC/m);
  expect(again.stderr).toMatch(/^API +kept from before +20\d\d-\d\d-\d\d .* UTC/m);
  expect(verbose.stderr).toMatch(
    /^Missing:\nalarms: permission missing[^]*privileged\s+user[^]*must\s+grant/m,
  );

  const [token] = await tokensIn(home);
  expect(token).toMatch(/.{20}/);
  for (const secret of [client_secret, String(token)])
    expect(verbose.stderr + again.stderr).not.toContain(secret);
});
