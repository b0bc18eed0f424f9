import { deepStrictEqual, ok } from 'node:assert/strict';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parse } from 'yaml';
import { compareRows, exact } from '../../support/compare-rows.ts';
import type { Bench } from './bench.ts';
import { confined, user } from './bench.ts';
import { ended, engine, startContainer } from './container-tool.ts';
import { alarmsServed, arriveYesterday, deployFile, publicFolder, savedAlarms } from './steps.ts';

/** A container of a Kubernetes manifest, as far as the checks run it. */
interface PodContainer {
  readonly command: readonly string[];
  readonly args: readonly string[];
}

interface PodTemplate {
  readonly template: { readonly spec: { readonly containers: readonly [PodContainer] } };
}

/** The container of the manifest of a kind. */
function manifestContainer(kind: 'CronJob' | 'Job'): PodContainer {
  const manifest = parse(deployFile(kind === 'Job' ? 'past-job.yaml' : 'cronjob.yaml')) as {
    spec: PodTemplate & { jobTemplate: { spec: PodTemplate } };
  };
  const { template } = kind === 'Job' ? manifest.spec : manifest.spec.jobTemplate.spec;
  return template.spec.containers[0];
}

/** deploy/cronjob.yaml: a pod that is evicted, one that goes on, one that finds little new. */
export async function checkCronJob(bench: Bench): Promise<string> {
  const world = await bench.world({ assets: 50, alarms: 1500, options: { latencyMs: 20 } });
  const pods = await podBench(bench, manifestContainer('CronJob'), { 'config.json': world.config });
  const evicted = pods.run(0);
  await alarmsServed(world, 500, evicted);
  await engine('kill', '--signal', 'TERM', podName(0));
  deepStrictEqual(await evicted, 143);
  const before = (await savedAlarms(pods.data, 'out-')).length;
  ok(before > 0 && before < 1500, `${before} rows before the pod was evicted`);
  deepStrictEqual(await pods.run(0), 0);
  await arriveYesterday(world, 10);
  deepStrictEqual(await pods.run(0), 0);
  const rows = await savedAlarms(pods.data, 'out-');
  deepStrictEqual(await compareRows(rows, world.groundTruthRows('alarms', {})), exact);
  deepStrictEqual((await world.requests(0)).tokens.issued, 1);
  return `3 pods, the first evicted after ${before} rows: each alarm once, 1 token`;
}

/** deploy/past-job.yaml with the ranges of deploy/ranges.sh: ranges side by side, one pod of them evicted and started again. */
export async function checkRangeJobs(bench: Bench): Promise<string> {
  const world = await bench.world({ assets: 0, alarms: 4000, options: { latencyMs: 20 } });
  const { assets: _, ...config } = world.config;
  const borders = deployFile('ranges.sh');
  const ranges = [...borders.matchAll(/(\d),([^, ]*),([^, ;]*)/g)].map(([, , from, to]) => ({
    ...(from === '' ? {} : { start_date: from }),
    ...(to === '' ? {} : { end_date: to }),
  }));
  deepStrictEqual(ranges.length, 3);
  const configs = ranges.map((range, index) => [
    `config-${index}.json`,
    { ...config, alarms: { ...config.alarms, ...range } },
  ]);
  const pods = await podBench(bench, manifestContainer('Job'), Object.fromEntries(configs));
  const running = ranges.map((_range, index) => pods.run(index));
  await alarmsServed(world, 1000, Promise.all(running));
  await engine('kill', '--signal', 'TERM', podName(1));
  deepStrictEqual(await Promise.all(running), [0, 143, 0]);
  deepStrictEqual(await pods.run(1), 0);
  const rows = await savedAlarms(pods.data, 'past-');
  deepStrictEqual(await compareRows(rows, world.groundTruthRows('alarms', {})), exact);
  deepStrictEqual((await world.requests(0)).tokens.issued, 1);
  return `3 pods side by side, one of them evicted: ${rows.length} alarms, each once, 1 token`;
}

/** Pods of one manifest, with a volume that outlives each of them. */
interface PodBench {
  readonly data: string;
  /** The exit code of one pod. Throws if it says anything on stderr. */
  run(index: number): Promise<number | null>;
}

async function podBench(bench: Bench, container: PodContainer, configs: object): Promise<PodBench> {
  const folder = await publicFolder(bench.folder, 'pod-');
  const [secret, data] = [join(folder, 'secret'), join(folder, 'data')];
  await mkdir(secret);
  await mkdir(join(data, 'tokens'), { recursive: true });
  for (const path of [data, join(data, 'tokens')]) await chown(path, user, user);
  for (const [name, config] of Object.entries(configs))
    await writeFile(join(secret, name), JSON.stringify(config));
  const [shell = '', ...command] = container.command;
  const volumes = [`${secret}:/config:ro`, `${data}:/data`, `${join(data, 'tokens')}:/cache`];
  const options = [...confined, '--user', `${user}:${user}`, ...volumes.flatMap((volume) => ['-v', volume])];
  return {
    data,
    run: async (index) => {
      // each pod has a second of its own in the names of its files
      await wait(1001);
      const own = [`--name=${podName(index)}`, '-e', `JOB_COMPLETION_INDEX=${index}`, '--entrypoint', shell];
      const child = startContainer([...options, ...own], [...command, ...container.args]);
      const { code, stderr } = await ended(child);
      deepStrictEqual(stderr, '');
      return code;
    },
  };
}

function podName(index: number): string {
  return `source-trailer-data-pod-${process.pid}-${index}`;
}
