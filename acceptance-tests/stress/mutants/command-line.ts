/** Faults in the process, its command line and its config. */
export const COMMAND_LINE = {
  clock: {
    'silent wait after the clock is set back': '«Math.abs(now() - lastReportMs) → now() - lastReportMs»',
  },
  limits: { 'lock is stolen from a live holder': '«2 * (DEADLINE_MS + 15 * SECOND) → DEADLINE_MS»' },
  'process-end < suites/process/signals suites/process/command-line process-end': {
    'stopped process does not exit by the signal': '«    received = signal;\n → »',
    'wrong usage exits like a failure': '? «WRONG_USAGE → 1» : 1;',
    'stopped read exits with 0': '«if (exitCode === 0) signal.throwIfAborted(); → »',
  },
  'standard-streams < suites/process/stdout': {
    'output is lost on a full disk': '« instanceof Socket ? stdout : fileOutput(stdout.fd) → »',
  },
  'main < suites/process/own-faults suites/process/proxy': {
    'stalled process exits with 0':
      'watchProcessEnd(«(failure) => reportFailure(failure, { writer, stderr, clock }) → async () => 0»)',
    'Node.js warnings appear on stderr': "«process.removeAllListeners('warning');\n → »",
    'Node.js warns about unchecked certificates':
      "«delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];\n → »",
    'proxy password is not masked': '(process.env)) «redactor.hide(secret) → void 0»',
  },
  'config/addresses < config/config http/proxy': {
    'localhost.example.com counts as loopback': '/^(localhost|127(\\.\\d{1,3}){3}|\\[::1\\])«$ → »/',
  },
  'config/config': {
    'dates are compared as texts': '«Date.parse(start_date) > Date.parse(end_date) → start_date > end_date»',
  },
  'config/encoding < config/json-file': {
    'byte order mark makes a config invalid': "«.replace(/^\\uFEFF/, '') → »",
  },
  'rows/json-fault < config/json-file': {
    'deeply nested config crashes the process': 'if (next.length > «maxDepth + 1 → Infinity»)',
  },
  'commands/connector < commands/connector commands/check': {
    'client secret is not masked': '«...secretParts(clientSecret), → »',
    'key in auth_url is not masked': '«...secretsInQuery(new URL(authUrl)) → »',
    'unused token of the config is not masked': '(known.tokens)) «hide(accessToken) → void 0»',
    'trailing slash changes the URL': '`${«trimSlashes(baseUrl) → baseUrl»}${',
  },
  'commands/connector < commands/request-limits': {
    'each list has its own limit of requests per minute':
      'limitConcurrency,\n      limitRate« → : createRequestLimiter(config.max_requests_per_minute ?? null, clock.ticks, sleep)»,',
    'each list has its own concurrency limit': '      limitConcurrency« → : createConcurrencyLimit()»,\n',
  },
  'commands/read < suites/commands/failures': {
    'failed stream exits with 0': '? TRY_AGAIN : «1 → 0»',
    'a config_error looks temporary': "failures.«every → some»((failure) => failure === 'transient_error')",
  },
  'commands/check': {
    'internal error counts as a check result': '«throw error → void 0»;\n    isFailed = true',
  },
  'commands/discover': { 'sample of one row is ignored': 'if (sampleRows «=== 0 → <= 1») return entry;' },
  cli: {
    'invalid --state-every is accepted':
      '«!(given.stateEvery >= 0 && given.stateEvery <= MAX_SECONDS) → given.stateEvery < 0 || given.stateEvery > MAX_SECONDS»',
    'seconds are used as milliseconds': 'stateEvery« * 1000 → »;',
    '--config.x creates an object': "«      'dot-notation': false,\n → »",
  },
};
