/** Faults in requests: pages, retries, limits, proxies, what is shown of an answer. */
export const REQUESTS = {
  'rows/page < simulation/seeds': {
    'a page without items is the end of the list':
      "«throw new BadPageError('the body has no array `items`') → return { rows: [], pagination: {} }»;",
    'a body that is not UTF-8 is taken': 'if («!isUtf8(body) → false») throw',
  },
  'rows/page': {
    'a page with one empty item counts as an empty page': 'if («oddItem !== NONE → false») throw',
  },
  'api/retry < simulation/seeds': {
    'three attempts instead of six': 'failures >= «budget.attempts → 3»',
    'a 429 counts as any other failure': 'isRateLimited = response.status === «429 → 408»',
  },
  'api/retry < api/retry-delay api/retry': {
    'the wait that a 503 asks for is not kept':
      'isRateLimited ? afterLimit : «Math.max(requestedMs ?? 0, jitterMs) → jitterMs»;',
    'repeated 429s with Retry-After: 0 are retried at once':
      'Math.max(requestedMs, «exponential(limits, BACKOFF.maxRateLimitMs) → 0»',
    'a check waits longer than a person does': '«elapsedMs +  → »waitMs > budget.lastStartMs',
  },
  'api/client < simulation/seeds': {
    'a token is used for ever':
      'token = «await parts.getToken(context → [...accepted].at(0) ?? (await parts.getToken(context)»);',
  },
  'api/client < api/client api/doubtful-status api/client-limits': {
    'a list is asked without saying that JSON is wanted': "«, accept: 'application/json' → » }",
    'a 401 or 403 in the middle of a read ends it at once':
      "return «onRefusal({ → hasAnswered ? ('fail' as const) : onRefusal({»",
    'the first refusal of a token burns it': 'const isRepeated = «refusedTokens.has(token) → true»;',
    'a page of any size is taken into memory': 'maxBytes: «PAGE.mostBytes → Number.MAX_SAFE_INTEGER»,',
    'what a refusing server repeats of a token is cut before it is masked':
      'new StatusError(response, excerptOf(response, «redact → (text) => text»))',
  },
  'api/request-limits < api/concurrency-limit api/request-limiter': {
    'requests that fail together halve the bound once each': 'if («sentAfter === halvings &&  → »error ',
    'a minute has one request more than allowed': 'starts.length <« → =» perMinute ?',
  },
  'api/status-error < api/status-error api/client': {
    'a 408 ends a read': 'new Set([304, «408, 425 → 425», 429])',
  },
  'http/request < http/request http/encoding': {
    'an answer that does not say its size has no cap':
      'if («needed > maxBytes → false») throw tooLarge(maxBytes)',
    'a small answer may unpack to any size': 'gunzipSync(body«, { maxOutputLength: maxBytes } → »)',
    'a process lingers for a minute after its last response': '«    clearTimeout(timer);\n → »',
  },
  'http/route < http/request http/request-proxy': {
    'certificates are not checked': 'rejectUnauthorized: «true → false»',
    'credentials of a proxy are sent to the API': 'url.search«, auth: undefined → » }',
    'requests do not say who asks': "      '«user-agent': USER_AGENT,\n      ' → »accept-encoding'",
  },
  'http/proxy': {
    'what shall stay on the machine goes over the proxy in plain http': '« || isLoopback(url.hostname) → »',
    'the variable in capitals comes before that in small letters':
      "(environment[name«.toLowerCase()] ?? environment[name → ] ?? environment[name.toLowerCase()»] ?? '')",
    'the decoded password of a proxy shows': ', «decodeURIComponent(proxy.password),  → »credentialsOf(proxy',
  },
  'http/response < http/response api/retry-delay': {
    'half of a secret shows at the end of what is quoted': "('utf8', 0, QUOTED.«decodedBytes → chars»)",
    'a wrong local clock makes Retry-After wrong': " - «(httpDate(headers.date ?? '') || nowMs) → nowMs»",
    'a key in the query of an address shows':
      'displayUrl({ «origin, pathname }: URL): string {\n  return origin + pathname → ' +
      'href }: URL): string {\n  return href».',
  },
};
