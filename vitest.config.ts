import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    reporters: ['default'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts'],
          setupFiles: ['src/property-seed.test-support.ts'],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'acceptance',
          include: ['acceptance-tests/**/*.test.ts'],
          exclude: ['acceptance-tests/crash/crash.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        // apart because of its length: `.ci/run` holds to it
        test: { name: 'crash', include: ['acceptance-tests/crash/crash.test.ts'], testTimeout: 300_000 },
      },
    ],
  },
});
