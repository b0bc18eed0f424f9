import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { exact } from '../acceptance-tests/support/compare-rows.ts';
import { program } from '../acceptance-tests/support/program.ts';
import { repository } from '../acceptance-tests/suites/packaging/versions.ts';
import { useTestBed } from '../acceptance-tests/support/test-bed.ts';
import { temporaryDirectory } from '../src/config/temporary-file.test-support.ts';
import { createWorkplace, served } from './workplace.test-support.ts';

const bed = useTestBed();

const OK = { code: 0, stderr: '' };
const state = (stream: string): string =>
  `{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":"${stream}"},"stream_state":{"created_since":"2025-01-01T00:00:00Z"}},"sourceStats":{"recordCount":0}}}\n`;

test.each([
  ['run.sh', '--help', 0, /^$/],
  ['run.sh', '-h', 0, /^$/],
  ['run.sh', '--ful', 2, /^run\.sh: --ful is no option; --help /],
  ['metrics.sh', '--help', 2, /^metrics\.sh OUT\.jsonl /],
  ['ranges.sh', '--help', 2, /^ranges\.sh START /],
])('%s %s reads nothing, and says how it is used', async (script, option, code, said) => {
  const { run, outputs } = await createWorkplace({});
  expect(await run(script, option)).toMatchObject({ code, stderr: expect.stringMatching(said) as string });
  expect(outputs()).toStrictEqual([]);
});

test('each run resumes from the output of the previous one, writes metrics and pings', async () => {
  const world = await bed.world({ assets: 60, alarms: 1500 });
  const { read, counts, outputs, textOf, metrics, pings } = await createWorkplace(world.config);
  expect(await read()).toStrictEqual(OK);
  await world.arrive('alarms', { count: 7 });
  expect(await read()).toStrictEqual(OK);
  expect(counts()).toStrictEqual([
    [60, 1500],
    [60, 7],
  ]);
  const [, summary = ''] = /"message":"(assets 60 rows, .* s)"/.exec(textOf(outputs()[1])) ?? [];
  const [, newest = '', requests, seconds] =
    /newest (\S+)\); (\d+) requests, .* (\S+) s$/.exec(summary) ?? [];
  expect(metrics()).toStrictEqual({
    exit_code: 0,
    end_timestamp_seconds: expect.any(Number) as number,
    'rows{stream="assets"}': 60,
    'rows{stream="alarms"}': 7,
    'complete{stream="assets"}': 1,
    'complete{stream="alarms"}': 1,
    'newest_created_timestamp_seconds{stream="alarms"}': Math.floor(Date.parse(newest)) / 1000,
    requests: Number(requests),
    retries: 0,
    tokens: 0,
    duration_seconds: Number(seconds),
  });
  expect(pings).toStrictEqual(['/ping', '/ping']);
});

test('a failed read keeps its exit code, its metrics and the states, and prints its errors', async () => {
  const world = await bed.world({ assets: 1, alarms: 20 });
  const { read, counts, metrics, pings } = await createWorkplace(world.config);
  expect(await read()).toStrictEqual(OK);
  await world.setOptions({ permissions: { alarms: false } });
  const { code, stderr } = await read();
  expect(code).toBe(1);
  expect(stderr).toMatch(/^alarms: the permission is missing .*"message":"the integrator lacks .*\n$/);
  expect(metrics()).toMatchObject({
    exit_code: 1,
    'rows{stream="assets"}': 1,
    'complete{stream="alarms"}': 0,
  });
  expect(pings).toHaveLength(1);
  await world.setOptions({ permissions: { alarms: true } });
  expect(await read()).toStrictEqual(OK);
  expect(counts().map(([, alarms]) => alarms)).toStrictEqual([20, 0, 0]);
});

test('a run that succeeds prints each WARN once, but not that it tried something again', async () => {
  const { config } = await bed.world({ assets: 1, alarms: 1 });
  const { alarms: alarm, ...rest } = config;
  const { read, run, replaceCommand, write } = await createWorkplace({ ...rest, alarm });
  const { code, stderr } = await read();
  expect([code, stderr]).toStrictEqual([
    0,
    'WARN config config.json: ignoring unknown keys: "alarm" (did you mean "alarms"?)\n',
  ]);
  const lines = ['a: say "1"', 'a: say "2"', 'a: an attempt failed; retrying in 1 s (503)', 'a: say "1"'].map(
    (message) => JSON.stringify({ type: 'LOG', log: { level: 'WARN', message } }),
  );
  const info = JSON.stringify({ type: 'LOG', log: { level: 'INFO', message: '"level":"WARN"' } });
  write('lines', `${[...lines, info].join('\n')}\n${state('a')}`);
  replaceCommand('program', 'cat lines');
  expect(await run('run.sh', 'bin/program')).toStrictEqual({
    code: 0,
    stderr: 'WARN a: say "1"\nWARN a: say "2"\n',
  });
});

test('a program that succeeds without a state has read nothing, so the run fails', async () => {
  const world = await bed.world({ assets: 1, alarms: 10 });
  const { read, start, outputs, metrics, pings } = await createWorkplace(world.config);
  const failed = { code: 1, stderr: 'run.sh: this wrote no state, so it was no read: true\n' };
  expect(await start('run.sh', ['true'], {}).ended).toStrictEqual(failed);
  expect([outputs(), pings, metrics()['exit_code']]).toStrictEqual([[], [], 1]);
  expect(await read()).toStrictEqual(OK);
  // given states are not its own
  expect(await start('run.sh', ['true'], {}).ended).toStrictEqual(failed);
  expect(pings).toHaveLength(1);
  expect(await read()).toStrictEqual(OK);
});

test('a folder without a config is the wrong one, as of a link to the script', async () => {
  const { folder } = await createWorkplace({});
  const other = temporaryDirectory();
  symlinkSync(join(folder, 'run.sh'), join(other, 'run.sh'));
  const failure = await promisify(execFile)(join(other, 'run.sh'), ['true']).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: 2,
    stderr: `run.sh: ${other} has no config.json. Set FOLDER to the folder of the outputs, or CONFIG\n`,
  });
  expect(readdirSync(other)).toStrictEqual(['run.sh']);
});

test('a first run that fails early leaves no output', async () => {
  const { read, named, write } = await createWorkplace({ auth_url: 'nowhere' });
  const { code, stderr } = await read();
  expect([code, stderr]).toStrictEqual([1, expect.stringContaining('auth_url')]);
  expect(named(/^out-/)).toStrictEqual([]);
  const world = await bed.world({ assets: 1, alarms: 1 });
  write('config.json', JSON.stringify(world.config));
  expect(await read()).toStrictEqual(OK);
});

test('runs that are killed at any moment lose no rows', async () => {
  const world = await bed.world({ assets: 50, alarms: 3000 });
  const { read, start, named, compare } = await createWorkplace(world.config);
  await world.setOptions({ latencyMs: 20 });
  for (const rows of [0, 100, 1000, 2000]) {
    const { pid, ended } = start('run.sh', [process.execPath, program, '--state-every', '0'], {});
    await served(world, rows, ended);
    process.kill(-pid, 'SIGKILL');
    await ended;
  }
  await world.setOptions({ latencyMs: 0 });
  expect(named(/\.part$/)).toHaveLength(1);
  await world.arrive('alarms', { count: 10 });
  expect(await read()).toStrictEqual(OK);
  expect(named(/\.(part|new)$/)).toStrictEqual([]);
  expect(await compare(world, 'alarms')).toMatchObject({ lost: [], unknown: [] });
  expect((await world.requests(0)).endpoints['alarms']?.rows).toBeLessThan(4500);
});

test('SIGTERM is passed on, so that the output ends with states', async () => {
  const world = await bed.world({ assets: 1, alarms: 3000, options: { latencyMs: 20 } });
  const { read, start, outputs, textOf, compare } = await createWorkplace(world.config);
  const { pid, ended } = start('run.sh', [process.execPath, program], {});
  await served(world, 500, ended);
  process.kill(pid, 'SIGTERM');
  expect(await ended).toStrictEqual({
    code: 143,
    stderr: 'run.sh: the connector was ended by SIGTERM. The next run goes on from its last state\n',
  });
  expect(outputs()).toHaveLength(1);
  expect(textOf(outputs()[0])).toMatch(/"status":"INCOMPLETE"/);
  await world.setOptions({ latencyMs: 0 });
  expect(await read()).toStrictEqual(OK);
  expect(await compare(world, 'alarms')).toStrictEqual(exact);
});

test('a connector that was killed is told, since it cannot say so itself', async () => {
  const { start } = await createWorkplace({});
  const { code, stderr } = await start('run.sh', ['sh', '-c', 'kill -9 $$'], {}).ended;
  expect(code).toBe(137);
  expect(stderr).toMatch(
    /^run\.sh: the connector was ended by SIGKILL, as if memory ran out\. The next run /m,
  );
});

test('a list that is alone and gets another name is read from its start', async () => {
  const { config } = await bed.world({ assets: 0, alarms: 40 });
  const list = { ...config.alarms, paging: 'cursor', path: '/v1/alarms', created_field: 'createdDate' };
  const { assets: _, alarms: __, ...rest } = config;
  const { read, write, outputs, textOf } = await createWorkplace({
    ...rest,
    lists: [{ ...list, name: 'old' }],
  });
  const rowsOf = (name: string): number => textOf(outputs().at(-1)).split(`"stream":"${name}"`).length - 1;
  expect(await read()).toStrictEqual(OK);
  expect(rowsOf('old')).toBe(40);
  write('config.json', JSON.stringify({ ...rest, lists: [{ ...list, name: 'new' }] }));
  const { code, stderr } = await read();
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /^run\.sh: out-.* holds no state of a list in config\.json, so every list is read from its start\n$/,
  );
  expect(rowsOf('new')).toBe(40);
  expect(await read()).toStrictEqual(OK);
  expect(rowsOf('new')).toBe(0);
  // the states of a list outlast its absence
  write('config.json', JSON.stringify({ ...rest, lists: [{ ...list, name: 'old' }] }));
  expect(await read()).toStrictEqual(OK);
  expect(rowsOf('old')).toBe(0);
});

test('KEEP_DAYS: old outputs that are loaded are deleted, except the one that holds the place', async () => {
  const world = await bed.world({ assets: 1, alarms: 10 });
  const { folder, read, write, outputs } = await createWorkplace(world.config);
  const old = Date.now() / 1000 - 8 * 86_400;
  const names = [1, 2, 3, 4].map((day) => `out-2025010${day}T000000Z.jsonl`);
  for (const name of names) write(name, state('alarms'));
  for (const name of names.slice(0, 3)) utimesSync(join(folder, name), old, old);
  expect(await read({ KEEP_DAYS: '7' })).toStrictEqual(OK);
  expect(outputs()).toHaveLength(5);
  write('loaded.txt', `${names[0]}\n${names[2]}\n${names[3]}\n`);
  expect(await read({ KEEP_DAYS: 'forever' })).toStrictEqual(OK);
  expect(outputs()).toHaveLength(6);
  // even if the read fails
  write('config.json', '{}');
  expect((await read({ KEEP_DAYS: '7' })).code).toBe(1);
  expect(outputs().slice(0, 2)).toStrictEqual([names[1], names[3]]);
  write('loaded.txt', `${outputs().join('\n')}\n`);
  for (const name of outputs()) utimesSync(join(folder, name), old, old);
  // a range resumes from none of these, and deletes none
  const before = outputs();
  expect((await read({ KEEP_DAYS: '7', RANGE: '1' })).code).toBe(1);
  expect(outputs()).toStrictEqual(before);
  const newest = outputs().at(-1);
  expect((await read({ KEEP_DAYS: '7' })).code).toBe(1);
  expect(outputs()).toHaveLength(1);
  expect(newest).toBeDefined();
  expect((await read({ KEEP_DAYS: 'a week' })).code).toBe(2);
});

test('exits with 0 if another run holds the lock, not if the lock fails', async () => {
  const { folder, read, outputs, run } = await createWorkplace({});
  const held = execFile('flock', [join(folder, 'lock'), 'sleep', '600']);
  onTestFinished(() => void held.kill());
  for (let tries = 0; tries < 1000 && (!existsSync(join(folder, 'lock')) || !(await isHeld(folder))); tries++)
    continue;
  expect(await read()).toStrictEqual(OK);
  expect(await read({}, '--full')).toStrictEqual({ code: 75, stderr: 'run.sh: another run is under way\n' });
  expect(outputs()).toStrictEqual([]);
  const other = await createWorkplace({});
  mkdirSync(join(other.folder, 'lock'));
  expect((await other.read()).code).not.toBe(0);
  expect((await run('run.sh', '/nowhere/node')).code).toBe(0);
  expect((await (await createWorkplace({})).run('run.sh', '/nowhere/node')).code).toBe(127);
});

async function isHeld(folder: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = execFile('flock', ['-n', join(folder, 'lock'), 'true'], () =>
      resolve(child.exitCode === 1),
    );
  });
}

test('a clone with core.autocrlf has scripts that run', async () => {
  const folder = temporaryDirectory();
  const args = ['-c', 'core.autocrlf=true', 'checkout-index', `--prefix=${folder}/`, '--all'];
  await promisify(execFile)('git', args, { cwd: repository });
  const files = readdirSync(join(folder, 'deploy')).map((name) => join(folder, 'deploy', name));
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((file) => readFileSync(file, 'utf8').includes('\r'))).toStrictEqual([]);
});
