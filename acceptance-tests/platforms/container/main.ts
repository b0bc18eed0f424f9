import { tellSkips } from '../../support/skips.ts';
import { createBench } from './bench.ts';
import type { Bench } from './bench.ts';
import { buildImage, whyNoContainers } from './container-tool.ts';
import { checkCron, checkDocs } from './docker-checks.ts';
import { checkConfiguration, checkContent } from './image-checks.ts';
import { checkCronJob, checkRangeJobs } from './pod-checks.ts';
import { checkAnnouncedTokens, checkSameAnswers, checkSameReads } from './run-checks.ts';

/** Each check by what it holds to; it gives its figures, or throws. */
const checks: Readonly<Record<string, (bench: Bench) => Promise<string>>> = {
  'labels, entry points, user, variables and size': checkConfiguration,
  'nothing in it but the bundle': checkContent,
  'spec, check, discover and failures in a pod are those of the bare program': checkSameAnswers,
  'reads in a pod emit what the bare program emits': checkSameReads,
  'containers that can write nowhere hand their token on in the config': checkAnnouncedTokens,
  'the docker commands of README and docs/running.md': checkDocs,
  'deploy/run.sh, the script for cron': checkCron,
  'deploy/cronjob.yaml': checkCronJob,
  'deploy/past-job.yaml, for ranges of time': checkRangeJobs,
};

/** Runs all of them where containers can be run; true if all went well. */
export async function runContainerChecks(): Promise<boolean> {
  const reason = whyNoContainers();
  const file = 'acceptance-tests/platforms/container/main.ts';
  if (reason !== undefined) return tellSkips([{ file, name: 'the checks of the image', reason }]);
  await buildImage();
  const bench = await createBench();
  let failed = 0;
  for (const [words, check] of Object.entries(checks)) {
    const started = performance.now();
    try {
      const figures = await check(bench);
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      process.stdout.write(`ok      ${words}: ${figures} (${seconds} s)\n`);
    } catch (error) {
      failed += 1;
      process.stdout.write(`FAILED  ${words}: ${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
  await bench.close();
  process.stdout.write(`${Object.keys(checks).length} checks of the image: ${failed} failed\n`);
  return failed === 0;
}
