import type { Mutant } from './mutant.ts';

/** Faults in the command line and the commands. */
export const COMMANDS_MUTANTS: readonly Mutant[] = [
  {
    file: 'src/commands/connector.ts',
    text: '  hide(clientSecret);\n',
    planted: '',
    breaks: 'the client secret shows where a server repeats it',
    nearest: ['src/commands/connector.test.ts', 'src/commands/check.test.ts'],
  },
  {
    file: 'src/commands/connector.ts',
    text: '  hide(new URL(authUrl).search.slice(1));\n',
    planted: '',
    breaks: 'a key in auth_url shows where a server repeats it',
    nearest: ['src/commands/connector.test.ts', 'src/commands/check.test.ts'],
  },
  {
    file: 'src/commands/connector.ts',
    text: '  for (const { accessToken } of Object.values(known.tokens)) hide(accessToken);\n',
    planted: '',
    breaks: 'a token that came with the config shows before it is used',
    nearest: ['src/commands/connector.test.ts'],
  },
  {
    file: 'src/commands/connector.ts',
    text: "`${baseUrl.replace(/\\/+$/, '')}${listPath}`",
    planted: '`${baseUrl}${listPath}`',
    breaks: 'a base_url that ends in a slash leads to another address',
    nearest: ['src/commands/connector.test.ts'],
  },
  {
    file: 'src/commands/read.ts',
    text: 'await runStreams(watched, selections, states, statistics, run)) ? 0 : 1;',
    planted: 'await runStreams(watched, selections, states, statistics, run)) ? 0 : 0;',
    breaks: 'exit code 0 though a stream has failed',
    nearest: ['acceptance-tests/suites/commands/failures.test.ts'],
  },
  {
    file: 'src/commands/check.ts',
    text: '    if (!(error instanceof ConnectorError)) throw error;\n    missing',
    planted: '    missing',
    breaks: 'a fault of ours passes for a verdict about the config',
    nearest: ['src/commands/check.test.ts'],
  },
  {
    file: 'src/commands/check.ts',
    text: 'stderr.write(redactor.redact(report.text(missing, clock.now())));',
    planted: 'stderr.write(report.text(missing, clock.now()));',
    breaks: 'secrets show in the table of a check',
    nearest: ['src/commands/check.test.ts'],
  },
  {
    file: 'src/commands/check-report.ts',
    text: '\\p{Cc}\\p{Cf}',
    planted: '\\p{Cc}',
    breaks: 'what turns the direction of text comes to the terminal',
    nearest: ['src/commands/check-report.test.ts'],
  },
  {
    file: 'src/commands/discover.ts',
    text: 'if (sampleRows === 0) return entry;',
    planted: 'if (sampleRows <= 1) return entry;',
    breaks: 'one row is no sample',
    nearest: ['src/commands/discover.test.ts'],
  },
  {
    file: 'src/cli.ts',
    text: '!(stateEvery >= 0 && stateEvery <= STATE_SECONDS.most)',
    planted: 'stateEvery < 0 || stateEvery > STATE_SECONDS.most',
    breaks: '--state-every that is no number is taken',
    nearest: ['src/cli.test.ts'],
  },
  {
    file: 'src/cli.ts',
    text: 'stateEvery * 1000;',
    planted: 'stateEvery;',
    breaks: 'seconds are taken for milliseconds',
    nearest: ['src/cli.test.ts'],
  },
  {
    file: 'src/cli.ts',
    text: "        'dot-notation': false,\n",
    planted: '',
    breaks: '--config.x brings in an object for a path',
    nearest: ['src/cli.test.ts'],
  },
];
