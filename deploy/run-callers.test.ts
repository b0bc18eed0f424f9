// how people, schedulers and shells call run.sh
import { chmodSync, copyFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { program } from '../acceptance-tests/support/program.ts';
import { useTestBed } from '../acceptance-tests/support/test-bed.ts';
import { createWorkplace } from './workplace.test-support.ts';

const bed = useTestBed();

const OK = { code: 0, stderr: '' };

test('FOLDER and CONFIG: the script may be elsewhere, as in the image', async () => {
  const world = await bed.world({ assets: 1, alarms: 1 });
  const { folder, read } = await createWorkplace({});
  const other = await createWorkplace(world.config);
  const variables = { FOLDER: other.folder, CONFIG: join(other.folder, 'elsewhere.json') };
  copyFileSync(join(other.folder, 'config.json'), variables.CONFIG);
  expect(await read(variables)).toStrictEqual(OK);
  expect(other.outputs()).toHaveLength(1);
  expect(statSync(join(folder, 'read.prom')).size).toBeGreaterThan(0);
});

test('--full may follow the program, whose path may be relative to the folder of the caller', async () => {
  const world = await bed.world({ assets: 1, alarms: 1 });
  const { folder, start } = await createWorkplace({});
  const other = await createWorkplace(world.config);
  const args = [process.execPath, relative(folder, program), '--full'];
  const variables = { FOLDER: other.folder };
  for (const runs of [1, 2]) {
    expect(await start('run.sh', args, variables).ended).toStrictEqual(OK);
    expect(other.counts()).toStrictEqual(Array.from({ length: runs }, () => [1, 1]));
  }
});

test('variables that change what commands print, and a closed stderr, change nothing', async () => {
  const world = await bed.world({ assets: 1, alarms: 1 });
  const { folder, start, write, counts } = await createWorkplace(world.config);
  const variables = {
    CDPATH: dirname(folder),
    QUOTING_STYLE: 'shell-always',
    POSIXLY_CORRECT: '1',
    TIME_STYLE: '+x',
  };
  const run = `${basename(folder)}/run.sh "$@"`;
  write('twice.sh', `#!/bin/sh\ncd '${dirname(folder)}' && ${run} && ${run} 2>&-\n`);
  chmodSync(join(folder, 'twice.sh'), 0o755);
  const { ended } = start('twice.sh', [process.execPath, program], variables);
  expect(await ended).toStrictEqual(OK);
  expect(counts()).toStrictEqual([
    [1, 1],
    [1, 0],
  ]);
});
