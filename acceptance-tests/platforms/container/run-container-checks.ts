import { tellSkips } from '../../support/skips.ts';
import { createBench } from './bench.ts';
import type { Bench } from './bench.ts';
import { buildImage, whyNoContainers } from './container-tool.ts';
import { checkCron } from './cron-check.ts';
import { checkDocs } from './docs-check.ts';
import { checkConfiguration, checkContent, checkSize } from './image-checks.ts';
import { checkCronJob, checkRangeJobs } from './pod-checks.ts';
import { checkSameAnswers, checkSameFailures, checkSameReads } from './run-checks.ts';
import { checkStop } from './stop-check.ts';
import { checkAnnouncedTokens, checkSharedTokens } from './token-checks.ts';

/** Each check with what it holds to; it gives its figures, or throws. */
const checks: readonly (readonly [words: string, check: (bench: Bench) => Promise<string>])[] = [
  ['labels, entry points, user and variables', checkConfiguration],
  ['nothing in it but the bundle', checkContent],
  ['its size', checkSize],
  ['spec, check and discover in a pod print what the bare program prints', checkSameAnswers],
  ['reads in a pod emit what the bare program emits', checkSameReads],
  ['failures in a pod have the exit code and words of the bare program', checkSameFailures],
  ['containers with a volume share a token', checkSharedTokens],
  ['containers that can write nowhere hand their token on in the config', checkAnnouncedTokens],
  ['a container that is stopped ends with a state, and nothing is lost', checkStop],
  ['the docker commands of README and docs/running.md', checkDocs],
  ['deploy/run.sh, the script for cron', checkCron],
  ['deploy/cronjob.yaml', checkCronJob],
  ['deploy/past-job.yaml, for ranges of time', checkRangeJobs],
];

/** Runs all of them where containers can be run; true if all went well. */
export async function runContainerChecks(): Promise<boolean> {
  const reason = whyNoContainers();
  const file = 'acceptance-tests/platforms/container/run-container-checks.ts';
  if (reason !== undefined) return tellSkips([{ file, name: 'the checks of the image', reason }]);
  await buildImage();
  const bench = await createBench();
  let failed = 0;
  try {
    for (const [words, check] of checks) {
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
  } finally {
    await bench.close();
  }
  process.stdout.write(`${checks.length} checks of the image: ${failed} failed\n`);
  return failed === 0;
}
