import { deepStrictEqual, ok } from 'node:assert/strict';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parse } from 'yaml';
import type { Scenario } from '../../sandbox/client.ts';
import { compareRows, exact } from '../../support/compare-rows.ts';
import { textOf } from '../../suites/packaging/versions.ts';
import type { Bench } from './bench.ts';
import { confined, user } from './bench.ts';
import { engine, finished, image, tool } from './container-tool.ts';
import { alarmsServed, arriveYesterday, savedAlarms } from './outputs.ts';

/** A Kubernetes manifest of a Job, or of a CronJob around one, as far as the checks run it. */
interface Manifest {
  readonly spec: {
    readonly jobTemplate?: Manifest;
    readonly template: { readonly spec: { readonly containers: readonly [Container] } };
  };
}
interface Container {
  readonly command: readonly [string, ...string[]];
  readonly args: readonly string[];
}

/** Pods of one manifest, with a volume that outlives each of them. */
interface Pods {
  /** The exit code of one pod. Throws if it says anything on stderr. */
  run(index: number): Promise<number | null>;
  /** Tells a pod that it is evicted. */
  evict(index: number): Promise<string>;
  saved(): Promise<string[]>;
}

const nameOf = (index: number): string => `source-trailer-data-pod-${process.pid}-${index}`;

async function createPods(bench: Bench, manifest: string, configs: object): Promise<Pods> {
  const outer = parse(textOf(`deploy/${manifest}`)) as Manifest;
  const job = outer.spec.jobTemplate ?? outer;
  const [{ command, args }] = job.spec.template.spec.containers;
  const folder = await bench.newFolder();
  const [secret, data, tokens] = [join(folder, 'secret'), join(folder, 'data'), join(folder, 'data/tokens')];
  for (const path of [secret, data, tokens]) {
    await mkdir(path);
    await chown(path, user, user);
  }
  for (const [name, config] of Object.entries(configs))
    await writeFile(join(secret, name), JSON.stringify(config));
  const volumes = ['-v', `${secret}:/config:ro`, '-v', `${data}:/data`, '-v', `${tokens}:/cache`];
  return {
    run: async (index) => {
      // each pod has a second of its own in the names of its files
      await wait(1001);
      const own = [`--name=${nameOf(index)}`, '-e', `JOB_COMPLETION_INDEX=${index}`];
      const options = [...confined, '--user', `${user}:${user}`, ...volumes, ...own];
      const words = ['run', ...options, '--entrypoint', command[0], image, ...command.slice(1), ...args];
      const { code, stderr } = await finished(tool, words, { cwd: folder, env: process.env });
      deepStrictEqual(stderr, '');
      return code;
    },
    evict: (index) => engine('kill', '--signal', 'TERM', nameOf(index)),
    saved: () => savedAlarms(data),
  };
}

async function expectExact(pods: Pods, world: Scenario): Promise<void> {
  deepStrictEqual(await compareRows(await pods.saved(), world.groundTruthRows('alarms', {})), exact);
  deepStrictEqual((await world.requests(0)).tokens.issued, 1);
}

/** deploy/cronjob.yaml: a pod that is evicted, one that goes on, one that finds little new. */
export async function checkCronJob(bench: Bench): Promise<string> {
  const world = await bench.world({ assets: 50, alarms: 1500, options: { latencyMs: 20 } });
  const pods = await createPods(bench, 'cronjob.yaml', { 'config.json': world.config });
  const evicted = pods.run(0);
  await alarmsServed(world, 500, evicted);
  await pods.evict(0);
  deepStrictEqual(await evicted, 143);
  const before = (await pods.saved()).length;
  ok(before > 0 && before < 1500, `${before} rows before the pod was evicted`);
  deepStrictEqual(await pods.run(0), 0);
  await arriveYesterday(world, 10);
  deepStrictEqual(await pods.run(0), 0);
  await expectExact(pods, world);
  return `3 pods, the first evicted after ${before} rows: each alarm once, 1 token`;
}

/** deploy/past-job.yaml with the ranges of deploy/ranges.sh: ranges side by side, one pod of them evicted and started again. */
export async function checkRangeJobs(bench: Bench): Promise<string> {
  const world = await bench.world({ assets: 0, alarms: 4000, options: { latencyMs: 20 } });
  const { assets: _, ...config } = world.config;
  const ranges = [...textOf('deploy/ranges.sh').matchAll(/\d,([^, ]*),([^, ;]*)/g)];
  deepStrictEqual(ranges.length, 3);
  const configs = ranges.map(([, from, to], index) => {
    const start = from === '' ? {} : { start_date: from };
    const end = to === '' ? {} : { end_date: to };
    return [`config-${index}.json`, { ...config, alarms: { ...config.alarms, ...start, ...end } }];
  });
  const pods = await createPods(bench, 'past-job.yaml', Object.fromEntries(configs));
  const running = ranges.map((_range, index) => pods.run(index));
  await alarmsServed(world, 1000, Promise.all(running));
  await pods.evict(1);
  deepStrictEqual(await Promise.all(running), [0, 143, 0]);
  deepStrictEqual(await pods.run(1), 0);
  await expectExact(pods, world);
  return '3 pods side by side, one of them evicted: each alarm once, 1 token';
}
