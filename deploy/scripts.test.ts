import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { compareRows } from '../acceptance-tests/support/compare-rows.ts';
import { program } from '../acceptance-tests/support/program.ts';
import { recordText } from '../acceptance-tests/support/run-views.ts';
import { useTestBed } from '../acceptance-tests/support/test-bed.ts';
import { temporaryDirectory } from '../src/config/temporary-file.test-support.ts';

const bed = useTestBed();

/** Creates a folder with a config and the scripts. */
async function workplace(config: object) {
  const folder = temporaryDirectory();
  for (const script of ['run.sh', 'metrics.sh'])
    copyFileSync(join(import.meta.dirname, script), join(folder, script));
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  const pings: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    pings.push(url);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const run = async (script: string, ...args: string[]) => {
    const { PATH } = process.env;
    const env = {
      PATH,
      METRICS_FILE: join(folder, 'read.prom'),
      PING_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/ping`,
      SOURCE_TRAILER_DATA_CACHE: folder,
    };
    return new Promise<{ code: number | null; stderr: string }>((resolve) => {
      const child = execFile(join(folder, script), args, { env }, (_, __, stderr) => {
        resolve({ code: child.exitCode, stderr });
      });
    });
  };
  return {
    folder,
    pings,
    run,
    read: async () => run('run.sh', process.execPath, program),
    outputs: () => readdirSync(folder).filter((name) => name.startsWith('out-')),
    textOf: (name: string) => readFileSync(join(folder, name), 'utf8'),
    metrics: () =>
      Object.fromEntries(
        [...readFileSync(join(folder, 'read.prom'), 'utf8').matchAll(/^trailer_data_(\S+) (\S+)$/gm)].map(
          ([, name, value]) => [name, Number(value)],
        ),
      ),
  };
}

const recordsIn = (text: string, stream: string): number =>
  text.split(`{"type":"RECORD","record":{"stream":"${stream}"`).length - 1;

const log = (message: string): string =>
  `${JSON.stringify({ type: 'LOG', log: { level: 'INFO', message } })}\n`;

const OK = { code: 0, stderr: '' };

test('run.sh: each run resumes from the output of the previous one and writes metrics', async () => {
  const world = await bed.world({ assets: 60, alarms: 1500 });
  const { read, outputs, textOf, metrics, pings } = await workplace(world.config);
  expect(await read()).toStrictEqual(OK);
  await world.arrive('alarms', { count: 7 });
  expect(await read()).toStrictEqual(OK);
  const counts = outputs().map((name) => [
    recordsIn(textOf(name), 'assets'),
    recordsIn(textOf(name), 'alarms'),
  ]);
  expect(counts).toStrictEqual([
    [60, 1500],
    [60, 7],
  ]);
  const [, summary = ''] = /"message":"(assets 60 rows, .* s)"/.exec(textOf(String(outputs()[1]))) ?? [];
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

test('run.sh: a failed read keeps its exit code and metrics, and sends no ping', async () => {
  const { config } = await bed.world({ options: { permissions: { alarms: false } }, assets: 1 });
  const { read, metrics, pings } = await workplace(config);
  expect(await read()).toStrictEqual({ code: 1, stderr: '' });
  expect(metrics()).toMatchObject({
    exit_code: 1,
    'rows{stream="assets"}': 1,
    'complete{stream="alarms"}': 0,
    tokens: 1,
  });
  expect(pings).toStrictEqual([]);
});

test('run.sh: a killed read is resumed without losing rows', async () => {
  const world = await bed.world({ assets: 50, alarms: 500 });
  const { folder, read, outputs, run, textOf } = await workplace(world.config);
  expect(await read()).toStrictEqual(OK);
  await world.arrive('alarms', { count: 1000 });
  await world.setOptions({ latencyMs: 50 });
  const wrapper =
    '"$@" & while [ "$(grep -c alarms out-*.jsonl | tail -n 1 | cut -d: -f2)" -lt 300 ]; do sleep 0.05; done; kill -9 $!; wait $!';
  writeFileSync(join(folder, 'kill.sh'), `#!/bin/bash\n${wrapper}\n`, { mode: 0o755 });
  expect((await run('run.sh', join(folder, 'kill.sh'), process.execPath, program)).code).toBe(137);
  await world.setOptions({ latencyMs: 0 });
  expect(await read()).toStrictEqual(OK);
  const saved = outputs().flatMap((name) => textOf(name).split('\n'));
  const alarms = saved.filter(
    (line) => line.startsWith('{"type":"RECORD","record":{"stream":"alarms"') && line.endsWith('}}}'),
  );
  const differences = await compareRows(
    alarms.map((line) => recordText(Buffer.from(line))),
    world.groundTruthRows('alarms', {}),
  );
  expect(differences).toMatchObject({ lost: [], unknown: [] });
});

test('run.sh: exits with 0 if another run holds the lock, not if the lock fails', async () => {
  const { folder, read, outputs, run } = await workplace({});
  const held = execFile('flock', [join(folder, 'lock'), 'sleep', '600']);
  onTestFinished(() => void held.kill());
  for (let tries = 0; tries < 1000 && (!existsSync(join(folder, 'lock')) || !(await isHeld(folder))); tries++)
    continue;
  expect(await read()).toStrictEqual(OK);
  expect(outputs()).toStrictEqual([]);
  const other = await workplace({});
  mkdirSync(join(other.folder, 'lock'));
  expect((await other.read()).code).not.toBe(0);
  expect((await run('run.sh', '/nowhere/node')).code).toBe(0);
  expect((await (await workplace({})).run('run.sh', '/nowhere/node')).code).toBe(127);
});

async function isHeld(folder: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = execFile('flock', ['-n', join(folder, 'lock'), 'true'], () =>
      resolve(child.exitCode === 1),
    );
  });
}

test('run.sh: does not write to an existing file', async () => {
  const { config } = await bed.world({ assets: 1, alarms: 1 });
  const { folder, read, outputs, textOf } = await workplace(config);
  const existing = [0, 1, 2].map((ahead) => {
    const stamp = new Date(Date.now() + ahead * 1000).toISOString().replaceAll(/[-:]|\.\d+/g, '');
    writeFileSync(join(folder, `out-${stamp}.jsonl`), 'existing\n');
    return `out-${stamp}.jsonl`;
  });
  expect(await read()).toStrictEqual(OK);
  expect(existing.map(textOf)).toStrictEqual(Array<string>(3).fill('existing\n'));
  expect(outputs()).toHaveLength(4);
});

test('metrics.sh: an incomplete stream, singular counts, and a read without a summary', async () => {
  const { folder, run, metrics } = await workplace({});
  const [out, file] = [join(folder, 'out.jsonl'), join(folder, 'read.prom')];
  const counts = '1 request, 1,234 retries, 1 token requested, 0.5 s';
  writeFileSync(
    out,
    log('a 9 rows; 9 requests, 9 retries, 9 tokens requested, 9.0 s') +
      log(`trips_2 1 row (incomplete, newest 2024-02-29T23:59:59.123456789Z), x 12,345,678 rows; ${counts}`),
  );
  expect(await run('metrics.sh', out, '1', file)).toStrictEqual(OK);
  expect(metrics()).toMatchObject({
    'rows{stream="trips_2"}': 1,
    'rows{stream="x"}': 12_345_678,
    'complete{stream="trips_2"}': 0,
    'newest_created_timestamp_seconds{stream="trips_2"}': Date.parse('2024-02-29T23:59:59.123Z') / 1000,
    requests: 1,
    retries: 1234,
    tokens: 1,
    duration_seconds: 0.5,
  });
  writeFileSync(out, '');
  expect(await run('metrics.sh', out, '137', file)).toStrictEqual(OK);
  expect(metrics()).toStrictEqual({ exit_code: 137, end_timestamp_seconds: expect.any(Number) as number });
  expect((await run('metrics.sh', '/nowhere', '0', file)).code).not.toBe(0);
});
