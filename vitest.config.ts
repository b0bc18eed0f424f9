import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { skipReporter } from './acceptance-tests/support/skips.ts';

/** Fixes the seed of properties, or draws and prints one. */
const PROPERTIES = 'src/property-runs.test-support.ts';

/** Run separately by `npm run test:all`: slow, and rarely the ones that fail. */
const SLOW = [
  'acceptance-tests/platforms/fresh-clone.test.ts',
  'acceptance-tests/stress/crash/crash.test.ts',
  'acceptance-tests/suites/tokens/token-fleet.test.ts',
  'acceptance-tests/suites/tokens/token-race.test.ts',
  'acceptance-tests/suites/faults/fault-matrix.test.ts',
  'acceptance-tests/suites/commands/adjoining-ranges.test.ts',
  'acceptance-tests/suites/commands/api-variants.test.ts',
  'acceptance-tests/suites/commands/check-messages.test.ts',
  'acceptance-tests/suites/commands/discover.test.ts',
  'acceptance-tests/suites/commands/doubtful-ends.test.ts',
  'acceptance-tests/suites/commands/failures.test.ts',
  'acceptance-tests/suites/commands/input-files.test.ts',
  'acceptance-tests/suites/commands/lists.test.ts',
  'acceptance-tests/suites/commands/mistakes.test.ts',
  'acceptance-tests/suites/commands/other-shapes.test.ts',
  'acceptance-tests/suites/packaging/generated-pages-requests.test.ts',
  'acceptance-tests/suites/packaging/released.test.ts',
  // many processes one after the other; the rules have unit tests
  'acceptance-tests/suites/packaging/page-commands.test.ts',
  'acceptance-tests/suites/tokens/wrong-clock.test.ts',
  'acceptance-tests/suites/tokens/volumes.test.ts',
  'acceptance-tests/suites/process/outages.test.ts',
  'acceptance-tests/suites/tokens/token-clocks.test.ts',
  'acceptance-tests/suites/tokens/client-secret.test.ts',
  'acceptance-tests/suites/process/own-faults.test.ts',
  'acceptance-tests/suites/process/progress.test.ts',
  'acceptance-tests/suites/process/proxy.test.ts',
  'acceptance-tests/suites/process/signals.test.ts',
  'acceptance-tests/suites/process/stdout.test.ts',
  'deploy/many-outputs.test.ts',
  'deploy/places.test.ts',
  'deploy/ranges.test.ts',
  'deploy/run-callers.test.ts',
  'deploy/run.test.ts',
  // the sandbox as a process, and its page in a browser
  'acceptance-tests/sandbox/sandbox.test.ts',
  'acceptance-tests/sandbox/page/page.test.ts',
  // hundreds of megabytes, or inputs that nobody writes
  'acceptance-tests/suites/process/hostile-pages.test.ts',
  'acceptance-tests/suites/process/little-memory.test.ts',
  'acceptance-tests/suites/process/long-names.test.ts',
  'acceptance-tests/suites/process/many-lists.test.ts',
  'acceptance-tests/suites/process/odd-inputs.test.ts',
];

/**
 * Files of the acceptance tests that have more cases in `npm run test:all` (see `firstOf`). Those of `src` and of the simulation all run
 * there.
 */
const MORE_CASES = [
  // for `npm run generate`
  'acceptance-tests/suites/packaging/generated-pages.test.ts',
  'acceptance-tests/stress/mutants/generate.test.ts',
  'acceptance-tests/suites/commands/read.test.ts',
  'acceptance-tests/suites/commands/resume.test.ts',
  'acceptance-tests/suites/process/no-webassembly.test.ts',
  'acceptance-tests/suites/tokens/tokens.test.ts',
];

/** ms: a test that waits for processes may take ten times as long on a busy machine. */
const TIMEOUT = 300_000;

const CONTAINER = 'acceptance-tests/platforms/container';
const BUILD = 'acceptance-tests/support/build-program.ts';

export default defineConfig({
  test: {
    // prints failures, skips and a summary
    reporters: ['minimal', skipReporter],
    diff: { truncateThreshold: 60 },
    // more than cores: many tests wait for processes and timers
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    projects: [
      {
        test: {
          name: 'unit',
          isolate: false,
          include: ['src/**/*.test.ts'],
          setupFiles: [PROPERTIES],
          testTimeout: TIMEOUT,
        },
      },
      {
        test: {
          name: 'acceptance',
          isolate: false,
          include: ['acceptance-tests/**/*.test.ts', 'deploy/*.test.ts'],
          exclude: [...SLOW, `${CONTAINER}/*`],
          setupFiles: [PROPERTIES],
          globalSetup: BUILD,
          testTimeout: TIMEOUT,
          hookTimeout: TIMEOUT,
        },
      },
      {
        test: {
          name: 'long',
          include: [...SLOW, ...MORE_CASES, 'src/**/*.test.ts', 'acceptance-tests/simulation/*.test.ts'],
          setupFiles: [PROPERTIES],
          globalSetup: BUILD,
          env: { TEST_LENGTH: 'long' },
          testTimeout: 1_200_000,
          hookTimeout: TIMEOUT,
        },
      },
      {
        test: {
          name: 'container',
          include: [`${CONTAINER}/*.test.ts`],
          globalSetup: [BUILD, `${CONTAINER}/image.ts`],
          testTimeout: TIMEOUT,
          hookTimeout: TIMEOUT,
        },
      },
    ],
  },
});
