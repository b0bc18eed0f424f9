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
    text: '    sent = signal;\n',
    planted: '',
    breaks: 'a process that was told to stop does not end by that signal',
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
    text: 'return stdout instanceof Socket ? stdout : fileOutput(stdout.fd);',
    planted: 'return stdout;',
    breaks: 'what finds no room on the disk is lost in silence',
    nearest: ['acceptance-tests/suites/process/full-disk.test.ts'],
  },
  {
    file: 'src/standard-streams.ts',
    text: "colours: erases && (env['NO_COLOR'] ?? '') === '',",
    planted: 'colours: erases,',
    breaks: 'NO_COLOR is not heeded',
    nearest: ['acceptance-tests/suites/process/progress.test.ts'],
  },
  {
    file: 'src/main.ts',
    text: 'watchProcessEnd((failure) => tellFailure(failure, { writer, clock }))',
    planted: 'watchProcessEnd(async () => 0)',
    breaks: 'a process that stands still passes for success',
    nearest: ['acceptance-tests/suites/process/faults-of-ours.test.ts'],
  },
];
