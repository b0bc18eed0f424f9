import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exact } from '../acceptance-tests/support/compare-rows.ts';
import { program } from '../acceptance-tests/support/program.ts';
import { useTestBed } from '../acceptance-tests/support/test-bed.ts';
import { createWorkplace } from './workplace.test-support.ts';

const bed = useTestBed();

const OK = { code: 0, stderr: '' };
const NAME = /^out-\d{8}T\d{6}Z\.jsonl$/;

/** A day from today on, as the names of outputs write it. */
const dayIn = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '');

test('a disk that is full for some runs costs no place and no rows', async () => {
  const world = await bed.world({ assets: 5, alarms: 500 });
  const { read, run, replaceCommand, named, counts, compare } = await createWorkplace(world.config);
  expect(await read()).toStrictEqual(OK);
  await world.arrive('alarms', { count: 3000 });
  // a limit on the size of files, in units of 512 bytes, stops a write as a full disk does: of the states, of early and later rows
  for (const limit of [0, 4, 1000]) {
    replaceCommand('limited-run', `ulimit -f ${limit}; exec ./run.sh "$@"`);
    expect((await run('bin/limited-run', process.execPath, program)).code).not.toBe(0);
  }
  expect(await read()).toStrictEqual(OK);
  expect(named(/\.(part|new)$/)).toStrictEqual([]);
  expect(counts()[0]).toStrictEqual([5, 500]);
  expect(await compare(world, 'alarms')).toMatchObject({ lost: [], unknown: [] });
});

test('a clock that was a day ahead or behind, or is back in 1970, changes nothing', async () => {
  const world = await bed.world({ assets: 1, alarms: 100 });
  const { read, replaceCommand, outputs, counts, compare } = await createWorkplace(world.config);
  const stamps = [`${dayIn(0)}T120000Z`, `${dayIn(1)}T235959Z`, `${dayIn(0)}T130000Z`, '19700101T000000Z'];
  for (const stamp of stamps) {
    replaceCommand('date', `echo ${stamp}`);
    expect(await read()).toStrictEqual(OK);
    await world.arrive('alarms', { count: 10 });
  }
  expect(outputs().every((name) => NAME.test(name))).toBe(true);
  expect(outputs()).toHaveLength(stamps.length);
  expect(counts().map(([, alarms]) => alarms)).toStrictEqual([100, 10, 10, 10]);
  expect(await read()).toStrictEqual(OK);
  expect(await compare(world, 'alarms')).toStrictEqual(exact);
});

test('resumes from the newest output that has a state, and says so', async () => {
  const world = await bed.world({ assets: 1, alarms: 100 });
  const { read, counts, write, outputs, textOf } = await createWorkplace(world.config);
  expect(await read()).toStrictEqual(OK);
  const [first = ''] = outputs();
  const text = textOf(first);
  // an empty file, zero bytes after a power cut, zero bytes inside states
  write(`out-${dayIn(1)}T000000Z.jsonl`, '');
  write(`out-${dayIn(1)}T000001Z.jsonl`, '\0'.repeat(5000));
  const hollow = text.replaceAll(/"stream_state":\{".{9}/g, (part) => '\0'.repeat(part.length));
  expect(hollow).not.toBe(text);
  write(`out-${dayIn(1)}T000002Z.jsonl`, hollow);
  const { code, stderr } = await read();
  expect([code, stderr]).toStrictEqual([
    0,
    `run.sh: out-${dayIn(1)}T000002Z.jsonl holds no states, so this run resumes from ${first}\n`,
  ]);
  expect(counts().at(-1)).toStrictEqual([1, 0]);
  // as a terminal ends lines
  write(`out-${dayIn(2)}T000000Z.jsonl`, text.replaceAll('\n', '\r\n'));
  expect(await read()).toStrictEqual(OK);
  expect(counts().at(-1)).toStrictEqual([1, 0]);
});

test('a state counts only if nothing before it is missing, so that a run returns the rows of a hole again', async () => {
  const world = await bed.world({ assets: 1, alarms: 100 });
  const { folder, read, counts, write, outputs, textOf } = await createWorkplace(world.config);
  expect(await read()).toStrictEqual(OK);
  await world.arrive('alarms', { count: 50 });
  expect(await read()).toStrictEqual(OK);
  const [, name = ''] = outputs();
  const text = textOf(name);
  const hole = (start: number): string => text.slice(0, start) + '\0'.repeat(1000) + text.slice(start + 1000);
  const resumed = {
    code: 0,
    stderr: `run.sh: ${name} has zero bytes, so this run resumes from the states before them\n`,
  };
  // the states that the output begins with are a place
  write(name, hole(text.indexOf('"RECORD","record":{"stream":"alarms"') + 500));
  expect(await read()).toStrictEqual(resumed);
  expect(counts().at(-1)).toStrictEqual([1, 50]);
  // but not a part of them: the output before this one has all
  write(name, hole(text.indexOf('\n') + 10));
  rmSync(join(folder, outputs().at(-1) ?? ''));
  expect((await read()).stderr).toBe(
    `run.sh: ${name} holds no states, so this run resumes from ${outputs()[0]}\n`,
  );
  expect(counts().at(-1)).toStrictEqual([1, 50]);
});

test('an output that cannot be read is no reason to read everything again', async () => {
  const world = await bed.world({ assets: 1, alarms: 100 });
  const { folder, read, outputs } = await createWorkplace(world.config);
  expect(await read()).toStrictEqual(OK);
  // on a volume that is not mounted
  const [name = ''] = outputs();
  rmSync(join(folder, name));
  symlinkSync('/nowhere/output', join(folder, name));
  const { code, stderr } = await read();
  expect([code, stderr]).toStrictEqual([1, expect.stringContaining(`cannot read ${folder}/${name} as `)]);
  expect(outputs()).toStrictEqual([name]);
});

test('a run without the outputs of earlier ones says that it reads every row', async () => {
  const world = await bed.world({ assets: 1, alarms: 10 });
  const { folder, read, write, outputs, counts, textOf } = await createWorkplace(world.config);
  const told = {
    code: 0,
    stderr:
      'run.sh: earlier runs have left outputs, but none with states is here (moved or compressed?), so every row is read\n',
  };
  expect(await read()).toStrictEqual(OK);
  // compressed
  renameSync(join(folder, outputs()[0] ?? ''), join(folder, 'out.jsonl.gz'));
  expect(await read()).toStrictEqual(told);
  // written anew by another program
  const [name = ''] = outputs();
  write(name, textOf(name).replaceAll('{"', '{ "'));
  expect(await read()).toStrictEqual(told);
  expect(counts().at(-1)).toStrictEqual([1, 10]);
  expect(await read()).toStrictEqual(OK);
  // of a version that left the lock empty
  const before = await createWorkplace(world.config);
  before.write('loaded.txt', 'out-20260101T000000Z.jsonl\n');
  expect(await before.read()).toStrictEqual(told);
});

test('outputs with rows, none of which has a state, are no first run; --full reads every row', async () => {
  const world = await bed.world({ assets: 1, alarms: 100 });
  const { read, counts, write, outputs, textOf } = await createWorkplace(world.config);
  expect(await read()).toStrictEqual(OK);
  const [name = ''] = outputs();
  write(name, textOf(name).replaceAll(/^.*"STATE".*\n/gm, ''));
  const { code, stderr } = await read();
  expect(code).toBe(1);
  expect(stderr).toContain(`${name} holds rows, but no output holds states`);
  expect(outputs()).toHaveLength(1);
  expect(await read({}, '--full')).toStrictEqual(OK);
  expect(await read()).toStrictEqual(OK);
  expect(await read({}, '--full')).toStrictEqual(OK);
  expect(counts()).toStrictEqual([
    [1, 100],
    [1, 100],
    [1, 0],
    [1, 100],
  ]);
});
