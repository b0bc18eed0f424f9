import type { Mutant } from './mutant.ts';

/** Faults in the process: its clock, its end, its streams. */
export const PROCESS_MUTANTS: readonly Mutant[] = [
  {
    file: 'src/clock.ts',
    text: 'Math.abs(now() - lastToldMs)',
    planted: 'now() - lastToldMs',
    breaks: 'a clock that is set back makes a long wait silent',
    nearest: ['src/clock.test.ts'],
  },
  {
    file: 'src/limits.ts',
    text: 'mostWaitMs: 2 * (DEADLINE_MS + 15 * SECOND),',
    planted: 'mostWaitMs: DEADLINE_MS,',
    breaks: 'a lock is given up before its holder can be known to be lost',
    nearest: ['src/limits.test.ts'],
  },
  {
    file: 'src/process-end.ts',
    text: 'if (exitCode === 0) signal.throwIfAborted();',
    planted: '',
    breaks: 'exit code 0 though the command was told to stop',
    nearest: ['acceptance-tests/suites/process/signals.test.ts'],
  },
  {
    file: 'src/process-end.ts',
    text: '? WRONG_USAGE : 1;',
    planted: '? 1 : 1;',
    breaks: 'a wrong command line cannot be told from a failure',
    nearest: ['acceptance-tests/suites/commands/usage.test.ts'],
  },
  {
    file: 'src/standard-streams.ts',
    text: "(env['NO_COLOR'] ?? '') === ''",
    planted: "env['NO_COLOR'] === undefined",
    breaks: 'an empty NO_COLOR takes colours away',
    nearest: ['acceptance-tests/suites/process/progress.test.ts'],
  },
  {
    file: 'src/standard-streams.ts',
    text: 'for (let at = 0; at < bytes.length;) {',
    planted: 'for (let at = 0; at < 1;) {',
    breaks: 'what finds no room on the disk at once is lost in silence',
    nearest: ['acceptance-tests/suites/process/full-disk.test.ts'],
  },
  {
    file: 'src/main.ts',
    text: 'for (const secret of proxySecrets(process.env)) redactor.hide(secret);\n',
    planted: '',
    breaks: 'the password of a proxy shows',
    nearest: ['acceptance-tests/suites/process/proxy.test.ts'],
  },
  {
    file: 'src/main.ts',
    text: "  process.removeAllListeners('warning');\n",
    planted: '',
    breaks: 'warnings of Node.js come to stderr',
    nearest: [
      'acceptance-tests/suites/process/silence.test.ts',
      'acceptance-tests/suites/process/stdout.test.ts',
    ],
  },
];
