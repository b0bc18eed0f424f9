import { readFileSync } from 'node:fs';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseDocument, type YAMLMap } from 'yaml';
import type { Scenario } from '../../sandbox/client.ts';
import { compareRows, exact } from '../../support/compare-rows.ts';
import { useTestBed } from '../../support/test-bed.ts';
import { repository, textOf } from '../../suites/packaging/versions.ts';
import { alarmsServed, confined, exitCodeOf, newFolder, savedAlarms, user } from './containers.ts';
import { canRunImages, engine, image, tool } from './image.ts';

interface Variable {
  readonly name: string;
  readonly value?: string;
}

/** Creates pods of a manifest with a persistent volume and the configs as files of a secret. */
async function createPods(manifest: string, configs: object) {
  const kubernetes = parseDocument(textOf(`deploy/${manifest}`));
  // a CronJob contains a Job
  const job = kubernetes.get('kind') === 'CronJob' ? ['spec', 'jobTemplate'] : [];
  const container = kubernetes.getIn([...job, 'spec', 'template', 'spec', 'containers', 0]) as YAMLMap;
  const { command, env } = container.toJSON() as { command: [string, ...string[]]; env: Variable[] };
  const folder = await newFolder();
  const [secret, data, tokens] = [join(folder, 'secret'), join(folder, 'data'), join(folder, 'data/tokens')];
  for (const path of [secret, data, tokens]) {
    await mkdir(path);
    await chown(path, user, user);
  }
  for (const [name, config] of Object.entries(configs))
    await writeFile(join(secret, name), JSON.stringify(config));
  const volumes = ['-v', `${secret}:/config:ro`, '-v', `${data}:/data`, '-v', `${tokens}:/cache`];
  const nameOf = (index: number): string => `source-trailer-data-${basename(folder)}-${index}`;
  return {
    run: async (index: number): Promise<number | null> => {
      const variables = env.map(({ name, value }) => {
        const text = value ?? String(index); // a field of the pod, which is its index in the Job
        return `--env=${name}=${text.replace('$(RANGE)', String(index))}`;
      });
      const own = [`--name=${nameOf(index)}`, ...variables, ...volumes];
      const options = [...confined, '--user', `${user}:${user}`, ...own, '--entrypoint', command[0]];
      const runArgs = ['run', ...options, image, ...command.slice(1)];
      return exitCodeOf(folder, tool, ...runArgs);
    },
    evict: (index: number) => engine('kill', '--signal', 'TERM', nameOf(index)),
    saved: () => savedAlarms(data),
    expectExact: async (world: Scenario): Promise<void> => {
      const truth = world.groundTruthRows('alarms', {});
      expect(await compareRows(await savedAlarms(data), truth)).toStrictEqual(exact);
      expect((await world.requests(0)).tokens.issued).toBe(1);
    },
  };
}

describe.runIf(canRunImages)('pods', () => {
  const bed = useTestBed();

  test('deploy/cronjob.yaml: an evicted pod, one that resumes, and one with few new rows', async () => {
    const world = await bed.world({ assets: 50, alarms: 1500, options: { latencyMs: 20 } });
    const pods = await createPods('cronjob.yaml', { 'config.json': world.config });
    const evicted = pods.run(0);
    await alarmsServed(world, 500, evicted);
    await pods.evict(0);
    expect(await evicted).toBe(143);
    const { length } = await pods.saved();
    expect(length > 0 && length < 1500, `${length} rows before eviction`).toBe(true);
    expect(await pods.run(0)).toBe(0);
    await world.arrive('alarms', { count: 10, createdAt: new Date().toISOString() });
    expect(await pods.run(0)).toBe(0);
    await pods.expectExact(world);
  });

  test('deploy/past-job.yaml with the ranges of ranges.sh: concurrent pods, one evicted and restarted', async () => {
    const world = await bed.world({ assets: 20, alarms: 4000, options: { latencyMs: 20 } });
    const folder = await newFolder();
    await writeFile(join(folder, 'config.json'), JSON.stringify(world.config));
    const script = join(repository, 'deploy/ranges.sh');
    expect(await exitCodeOf(folder, script, '2025-01-01', '2026-01-01', '3')).toBe(0);
    const names = ['config-0.json', 'config-1.json', 'config-2.json'];
    const configs = names.map((name) => [
      name,
      JSON.parse(readFileSync(join(folder, name), 'utf8')) as object,
    ]);
    const pods = await createPods('past-job.yaml', Object.fromEntries(configs));
    const running = names.map((_name, index) => pods.run(index));
    await alarmsServed(world, 1000, Promise.all(running));
    await pods.evict(1);
    expect(await Promise.all(running)).toStrictEqual([0, 143, 0]);
    expect(await pods.run(1)).toBe(0);
    await pods.expectExact(world);
  });
});
