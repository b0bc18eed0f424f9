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
        // apart while a rare repeat after a crash is still being mended: its bounds stay as strict as they are
        test: { name: 'crash', include: ['acceptance-tests/crash/crash.test.ts'], testTimeout: 300_000 },
      },
    ],
  },
});
