/** Faults in the process, its command line and its config. */
export const COMMAND_LINE = {
  clock: {
    'a clock set back makes a long wait silent': '«Math.abs(now() - lastReportMs) → now() - lastReportMs»',
  },
  limits: {
    'a lock is given up while its holder may live': '«2 * (DEADLINE_MS + 15 * SECOND) → DEADLINE_MS»',
  },
  'process-end < suites/process/signals main': {
    'a process that was told to stop does not end by that signal': '«    sent = signal;\n → »',
    'a wrong command line cannot be told from a failure': '? «WRONG_USAGE → 1» : 1;',
  },
  'standard-streams < suites/process/stdout suites/process/progress': {
    'what finds no room on the disk is lost': '« instanceof Socket ? stdout : fileOutput(stdout.fd) → »',
    'NO_COLOR is not heeded': "colors: erases« && (env['NO_COLOR'] ?? '') === '' → »,",
    'an empty NO_COLOR counts': "erases && «(env['NO_COLOR'] ?? '') === '' → env['NO_COLOR'] === undefined»,",
  },
  'process-end': {
    'what a stop left out passes for success': '«if (exitCode === 0) signal.throwIfAborted(); → »',
  },
  'main < suites/process/own-faults suites/process/proxy': {
    'a process that stands still passes for success':
      'watchProcessEnd(«(failure) => tellFailure(failure, { writer, clock }) → async () => 0»)',
    'warnings of Node stand on stderr': "«process.removeAllListeners('warning');\n → »",
    'Node warns of certificates that go unchecked, which they do not':
      "«delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];\n → »",
    "a proxy's password shows where somebody repeats it": '(process.env)) «redactor.hide(secret) → void 0»',
  },
  'config/config': {
    'dates in different zones are compared as texts':
      '«Date.parse(start_date) > Date.parse(end_date) → start_date > end_date»',
  },
  'config/config < config/config http/proxy': {
    'localhost.example.com passes for this machine': '/^(localhost|127(\\.\\d{1,3}){3}|\\[::1\\])«$ → »/',
  },
  'config/json-file': {
    'a byte order mark makes a config invalid': "«.replace(/^\\uFEFF/, '') → »",
    'a config of ten thousand brackets ends the process': 'if (behind.length > «DEEPEST + 1 → Infinity»)',
  },
  'commands/connector < commands/connector commands/check': {
    'the client secret shows where a server repeats it': '«  hide(credentials.clientSecret);\n → »',
    'a key in auth_url shows where a server repeats it':
      '  hide(new URL(credentials.authUrl).search.slice(«1 → 99»));',
    'a token of the config shows before it is used': '(known.tokens)) «hide(accessToken) → void 0»',
    'a base_url that ends in a slash leads to another address': '`${«trimSlashes(baseUrl) → baseUrl»}${',
  },
  'commands/read < suites/commands/failures': {
    'exit code 0 though a stream has failed': "outcome }) => outcome !== 'failed') ? 0 : «1 → 0»",
  },
  'commands/check': {
    'a fault of ours passes for a verdict': '«throw error → void 0»;\n    refusals.add',
    'secrets show in the table of a check': 'stderr.write(«redactor.redact → String»(report.text',
  },
  'http/response < commands/check-report': {
    'what turns the direction of text comes to the terminal': '\\p{Cc}«\\p{Cf} → »',
  },
  'commands/discover': {
    'one row is no sample': 'if (sampleRows «=== 0 → <= 1») return entry;',
  },
  cli: {
    '--state-every that is no number is taken':
      '«!(given.stateEvery >= 0 && given.stateEvery <= MOST_SECONDS) → given.stateEvery < 0 || given.stateEvery > MOST_SECONDS»',
    'seconds are taken for milliseconds': 'stateEvery« * 1000 → »;',
    '--config.x brings in an object for a path': "«      'dot-notation': false,\n → »",
  },
};
