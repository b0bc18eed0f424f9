import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exact } from '../acceptance-tests/support/compare-rows.ts';
import { program } from '../acceptance-tests/support/program.ts';
import { useTestBed } from '../acceptance-tests/support/test-bed.ts';
import { blocksOf } from '../acceptance-tests/suites/packaging/markdown.ts';
import { textOf as pageText } from '../acceptance-tests/suites/packaging/versions.ts';
import { createWorkplace, served } from './workplace.test-support.ts';

const bed = useTestBed();

const OK = { code: 0, stderr: '' };

test('ranges, of which one is killed, and then hourly runs return each row once', async () => {
  const world = await bed.world({ assets: 40, drivers: 30, alarms: 3000, trips: 600 });
  const { read, run, start, outputs, textOf, compare } = await createWorkplace(world.config);
  // a border on which there are rows
  const createdAt = '2025-05-02T16:00:00Z';
  await world.arrive('alarms', { count: 30, createdAt, spacingMs: 0 });
  expect(await run('ranges.sh', '2025-01-01', '2026-01-01T00:00:00Z', '3')).toStrictEqual(OK);
  await world.setOptions({ latencyMs: 10 });
  const ranges = [0, 1, 2].map((index) => {
    const variables = {
      RANGE: String(index),
      CONFIG: `config-${index}.json`,
      METRICS_FILE: '',
      PING_URL: '',
    };
    const args = [process.execPath, program, '--state-every', '0'];
    return { ...start('run.sh', args, variables), again: () => start('run.sh', args, variables).ended };
  });
  const [first, killed, third] = ranges;
  if (!first || !killed || !third) throw new Error('three ranges');
  await served(world, 1000, killed.ended);
  // while it runs, it is not started again, and does not count as finished
  expect((await killed.again()).code).toBe(75);
  process.kill(-killed.pid, 'SIGKILL');
  await killed.ended;
  await world.setOptions({ latencyMs: 0 });
  expect(await Promise.all([first.ended, killed.again(), third.ended])).toStrictEqual([OK, OK, OK]);
  const { endpoints } = await world.requests(0);
  expect([endpoints.assets.count, endpoints.drivers.count]).toStrictEqual([0, 0]);
  expect(outputs().map((name) => name.slice(0, 12))).toStrictEqual([
    'out-00000000',
    'out-00000001',
    'out-00000001',
    'out-00000002',
  ]);

  await world.clearRequests();
  for (const count of [0, 50, 0]) {
    if (count > 0) for (const list of ['alarms', 'trips'] as const) await world.arrive(list, { count });
    expect(await read()).toStrictEqual(OK);
    const text = textOf(outputs().at(-1));
    for (const list of ['alarms', 'trips'])
      expect(text.split(`"RECORD","record":{"stream":"${list}"`)).toHaveLength(count + 1);
    expect(text.split(`"RECORD","record":{"stream":"assets"`)).toHaveLength(41);
  }
  expect((await world.requests(0)).endpoints.alarms.rows).toBeLessThan(1000);
  expect(await compare(world, 'trips')).toStrictEqual(exact);
  expect(await compare(world, 'alarms')).toMatchObject({ lost: [], unknown: [] });
  // only what the killed range had read and not yet put into a state
  expect((await compare(world, 'alarms')).repeated.length).toBeLessThanOrEqual(50);
});

test('a run touches no output of another range or of a regular run that is under way', async () => {
  const world = await bed.world({ assets: 1, alarms: 10 });
  const { read, write, textOf, run, named, outputs } = await createWorkplace(world.config);
  expect(await run('ranges.sh', '2025-01-01', '2026-01-01', '3')).toStrictEqual(OK);
  // what others are writing: the states of the output before, and rows
  const others = ['out-00000001T000000Z.new', 'out-00000002T000000Z.part'];
  const regular = ['out-20260101T000000Z.new', 'out-20260102T000000Z.part'];
  for (const name of [...others, ...regular]) write(name, name);
  const range = { RANGE: '0', CONFIG: 'config-0.json' };
  expect(await read(range)).toStrictEqual(OK);
  expect(named(/new|part/)).toStrictEqual([...others, ...regular]);
  // a regular run finishes what regular runs have left
  expect(await read()).toStrictEqual(OK);
  expect(named(/new|part/)).toStrictEqual(others);
  expect(others.map(textOf)).toStrictEqual(others);
  expect(outputs()).toHaveLength(2);
});

test('history that is added later, in other ranges, with an end in the future: each row once', async () => {
  const world = await bed.world({ assets: 1, alarms: 400 });
  const { config } = world;
  const later = { ...config, alarms: { ...config.alarms, start_date: '2025-10-01T00:00:00Z' } };
  const { read, write, run, textOf, outputs, compare } = await createWorkplace(later);
  expect(await read()).toStrictEqual(OK);
  expect(await run('ranges.sh', '2025-04-01', '2025-10-01', '2')).toStrictEqual(OK);
  const readRange = (index: number) => read({ RANGE: String(index), CONFIG: `config-${index}.json` });
  expect(await readRange(0)).toStrictEqual(OK);
  expect(await readRange(1)).toStrictEqual(OK);
  // a split that begins earlier would have its states go on in the middle
  expect(await run('ranges.sh', '2025-01-01', '2025-04-01', '2')).toStrictEqual(OK);
  const before = outputs();
  const { code, stderr } = await readRange(1);
  expect([code, stderr]).toStrictEqual([2, expect.stringContaining('other dates than range 1 had before')]);
  expect(outputs()).toStrictEqual(before);
  for (const index of [0, 1]) write(`config-${index + 2}.json`, textOf(`config-${index}.json`));
  expect(await readRange(2)).toStrictEqual(OK);
  expect(await readRange(3)).toStrictEqual(OK);
  expect(await compare(world, 'alarms')).toStrictEqual(exact);

  const other = await createWorkplace(config);
  expect(await other.run('ranges.sh', '2025-01-01', '2099-01-01', '1')).toStrictEqual(OK);
  expect(await other.read({ RANGE: '0', CONFIG: 'config-0.json' })).toStrictEqual(OK);
  await world.arrive('alarms', { count: 10 });
  expect(await other.read()).toStrictEqual(OK);
  expect(await other.compare(world, 'alarms')).toStrictEqual(exact);
});

test('the commands of docs/deploying.md: ten ranges, three at a time, and the first regular run', async () => {
  const world = await bed.world({ assets: 10, alarms: 500 });
  for (const year of [2023, 2024]) {
    const createdAt = `${year}-12-31T23:59:59.999Z`;
    await world.arrive('alarms', { count: 20, createdAt, spacingMs: 1 });
  }
  const { folder, run, write, replaceCommand, outputs, textOf } = await createWorkplace(world.config);
  // runs the program in place of the image
  const shift = 'while [ "$1" != source-trailer-data:0.3.0 ]; do shift; done; shift';
  replaceCommand('docker', `${shift}; exec ${process.execPath} ${program} "$@"`);
  const block = blocksOf(pageText('docs/deploying.md'), 'sh').find((text) => text.includes('xargs')) ?? '';
  write('commands.sh', block.replace('/srv/trailer-data', folder));
  replaceCommand('commands', 'exec sh -e commands.sh');
  expect(await run('bin/commands')).toStrictEqual(OK);
  expect(outputs()).toHaveLength(11);
  const alarms = outputs().map(
    (name) => textOf(name).split('"RECORD","record":{"stream":"alarms"').length - 1,
  );
  // of the 540 rows, one is before the first range
  expect(alarms.slice(0, 10).reduce((sum, count) => sum + count)).toBe(539);
});

test('ranges.sh: adjoining ranges of the lists by cursor, and errors', async () => {
  const cursor = { paging: 'cursor', name: 'trips', path: '/v1/trips', created_field: 'startedAt' };
  const config = {
    client_secret: 's',
    assets: { base_url: 'http://127.0.0.1' },
    alarms: { base_url: 'http://127.0.0.1', start_date: '2020-01-01', id_field: 'alarmId' },
    lists: [{ paging: 'offset', name: 'drivers' }, cursor],
  };
  const { folder, run, write, named, textOf } = await createWorkplace(config);
  chmodSync(join(folder, 'config.json'), 0o640);
  expect(await run('ranges.sh', '2024-01-01', '2025-12-31', '3')).toStrictEqual(OK);
  // they contain the secret, too
  const modes = named(/^config-/).map((name) => statSync(join(folder, name)).mode & 0o777);
  expect(modes).toStrictEqual([0o640, 0o640, 0o640]);
  const [first, , last] = named(/^config-/).map((name) => JSON.parse(textOf(name)) as typeof config);
  const dates = { start_date: '2024-01-01T00:00:00Z', end_date: '2024-08-31T07:59:59.999999999Z' };
  expect(first).toStrictEqual({
    client_secret: 's',
    alarms: { ...config.alarms, ...dates },
    lists: [{ ...cursor, ...dates }],
  });
  expect(last?.alarms).toMatchObject({
    start_date: '2025-05-01T16:00:00Z',
    end_date: '2025-12-30T23:59:59.999999999Z',
  });
  expect((await run('ranges.sh', '2024-01-01', '2025-12-31')).stderr).toContain('ranges.sh START END N');
  for (const count of ['0', '-1', 'x', '10001'])
    expect((await run('ranges.sh', '2024-01-01', '2025-12-31', count)).code).toBe(2);
  expect((await run('ranges.sh', '2025-01-01', '2024-01-01', '2')).stderr).toContain(
    'START must be before END',
  );
  for (const date of ['2025-02-30', '2025-1-1', '2025-01-01T24:00:00Z', 'today']) {
    const { code, stderr } = await run('ranges.sh', '2024-01-01', date, '2');
    expect([code, stderr]).toStrictEqual([
      1,
      expect.stringMatching(`${date}.* (is not a date|does not match)`),
    ]);
  }
  write('config.json', '{"assets": {}}');
  expect((await run('ranges.sh', '2024-01-01', '2025-01-01', '4')).stderr).toContain('no list by cursor');
  expect(named(/^config-/)).toHaveLength(3);
  // what the connector accepts: empty values, which count as absent, and a byte order mark
  const empty = { alarms: '', assets: null, lists: [{ ...cursor, audience: '' }] };
  write('config.json', `\ufeff${JSON.stringify(empty)}\r\n`);
  expect(await run('ranges.sh', '2024-01-01', '2025-12-31', '3')).toStrictEqual(OK);
  expect(JSON.parse(textOf('config-0.json'))).toStrictEqual({ lists: [{ ...cursor, ...dates }] });
  write('config.json', JSON.stringify({ alarms: { id_field: '' }, lists: '', token_cache: '' }));
  expect(await run('ranges.sh', '2024-01-01', '2025-12-31', '3')).toStrictEqual(OK);
  expect(JSON.parse(textOf('config-0.json'))).toStrictEqual({ alarms: dates, token_cache: '' });
});
