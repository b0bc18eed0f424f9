import { plantedIn } from './mutant.ts';

/** Faults in the command line and the commands. */
export const COMMANDS_MUTANTS = [
  ...plantedIn(
    'src/commands/connector.ts',
    ['src/commands/connector.test.ts', 'src/commands/check.test.ts'],
    {
      'the client secret shows where a server repeats it': '«  hide(clientSecret);\n → »',
      'a key in auth_url shows where a server repeats it': '«  hide(new URL(authUrl).search.slice(1));\n → »',
      'a token that came with the config shows before it is used':
        '«  for (const { accessToken } of Object.values(known.tokens)) hide(accessToken);\n → »',
      'a base_url that ends in a slash leads to another address':
        "`${baseUrl«.replace(/\\/+$/, '') → »}${listPath}`",
    },
  ),
  ...plantedIn('src/commands/read.ts', ['acceptance-tests/suites/commands/failures.test.ts'], {
    'exit code 0 though a stream has failed':
      'await runStreams(watched, selections, states, statistics, run)) ? 0 : «1 → 0»;',
  }),
  ...plantedIn('src/commands/check.ts', ['src/commands/check.test.ts'], {
    'a fault of ours passes for a verdict about the config':
      '    «if (!(error instanceof ConnectorError)) throw error;\n     → »missing',
    'secrets show in the table of a check':
      'stderr.write(«redactor.redact(report.text(missing, clock.now() → report.text(missing, clock.now(»)));',
  }),
  ...plantedIn('src/commands/check-report.ts', ['src/commands/check-report.test.ts'], {
    'what turns the direction of text comes to the terminal': '\\p{Cc}«\\p{Cf} → »',
  }),
  ...plantedIn('src/commands/discover.ts', ['src/commands/discover.test.ts'], {
    'one row is no sample': 'if (sampleRows «=== 0 → <= 1») return entry;',
  }),
  ...plantedIn('src/cli.ts', ['src/cli.test.ts'], {
    '--state-every that is no number is taken':
      '«!(stateEvery >= 0 && stateEvery <= STATE_SECONDS.most) → stateEvery < 0 || stateEvery > STATE_SECONDS.most»',
    'seconds are taken for milliseconds': 'stateEvery« * 1000 → »;',
    '--config.x brings in an object for a path': "«        'dot-notation': false,\n → »",
  }),
];
