import { plantedIn } from './mutant.ts';

/** Faults in the process: its clock, its end, its streams. */
export const PROCESS_MUTANTS = [
  ...plantedIn('src/clock.ts', ['src/clock.test.ts'], {
    'a clock that is set back makes a long wait silent':
      '«Math.abs(now() - lastToldMs) → now() - lastToldMs»',
  }),
  ...plantedIn('src/limits.ts', ['src/limits.test.ts'], {
    'a lock is given up before its holder can be known to be lost':
      'mostWaitMs: «2 * (DEADLINE_MS + 15 * SECOND) → DEADLINE_MS»,',
  }),
  ...plantedIn(
    'src/process-end.ts',
    ['acceptance-tests/suites/process/signals.test.ts', 'src/main.test.ts'],
    {
      'a process that was told to stop does not end by that signal': '«    sent = signal;\n → »',
      'a wrong command line cannot be told from a failure': '? «WRONG_USAGE → 1» : 1;',
    },
  ),
  ...plantedIn(
    'src/standard-streams.ts',
    ['acceptance-tests/suites/process/stdout.test.ts', 'acceptance-tests/suites/process/progress.test.ts'],
    {
      'what finds no room on the disk is lost in silence':
        'return stdout« instanceof Socket ? stdout : fileOutput(stdout.fd) → »;',
      'NO_COLOR is not heeded': "colours: erases« && (env['NO_COLOR'] ?? '') === '' → »,",
      'an empty NO_COLOR counts':
        "colours: erases && «(env['NO_COLOR'] ?? '') === '' → env['NO_COLOR'] === undefined»,",
    },
  ),
  ...plantedIn('src/process-end.ts', ['src/process-end.test.ts'], {
    'what a process left out when it was told to stop passes for success':
      '«if (exitCode === 0) signal.throwIfAborted(); → »',
  }),
  ...plantedIn(
    'src/main.ts',
    ['acceptance-tests/suites/process/own-faults.test.ts', 'acceptance-tests/suites/process/proxy.test.ts'],
    {
      'a process that stands still passes for success':
        'watchProcessEnd(«(failure) => tellFailure(failure, { writer, clock }) → async () => 0»)',
      'warnings of Node stand on stderr': "«  process.removeAllListeners('warning');\n → »",
      'Node warns of certificates that go unchecked, which they do not':
        "«  delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];\n → »",
      "a proxy's password shows where somebody repeats it":
        '«for (const secret of proxySecrets(process.env)) redactor.hide(secret); → »',
    },
  ),
];
