/** Faults in requests: pages, retries, limits, proxies, quoted responses. */
export const REQUESTS = {
  'rows/page < simulation/seeds rows/page': {
    'page without items is the end':
      "«throw new OtherShapeError('the body has no array `items`', null, false) → return { rows: [], pagination: {} }»;",
    'invalid UTF-8 is accepted': 'if («!isUtf8(body) → false») throw',
    'empty item is accepted': 'if («oddItem !== NONE → false») throw',
  },
  'api/page-in < api/failed-pages': {
    'a page that says that it failed is the end': 'if («said !== null → false») throw failedPage',
    'a failed page is the answer of the list': 'isWhole: «rows.length > 0 → true»',
  },
  'api/bare-page < api/failed-pages': {
    'a page without pagination behind a cursor is believed soon': "return «query.has('after') → false» ||",
  },
  'api/streak < api/streak': {
    'failures of another kind count': 'return «streak?.lastingMs === lastingMs → streak !== null» ?',
    'an answer of the end of an outage is final':
      'return «Math.max(waitedMs, nowMs - sinceMs) >= lastingMs → true»;',
  },
  'http/reported-failure': {
    'errors that are counted are none': 'return «value === 0 → true» || (value === 200',
    'only the first part of an error counts':
      'Object.entries(value).«every → some»(([inner, one]) => isNothing',
  },
  'http/patience < http/patience api/retry': {
    'no last attempt when the time is over': '«Math.min(backoffMs, leftMs) → backoffMs»',
    'Retry-After of a 503 is ignored': '«Math.max(requestedMs, ownMs) → ownMs»',
    'repeated 429s with Retry-After: 0 are retried at once':
      '«Math.min(BACKOFF.maxRateLimitMs, BACKOFF.baseMs * 2 ** limits) → 0»',
    'a mistyped address is tried for five minutes':
      'hasSucceeded ? budget.failureMs : budget.«firstFailureMs → failureMs»',
  },
  'api/retry < simulation/seeds api/retry api/outage api/doubtful-status': {
    'a refusal is confirmed by many requests': 'BRIEF_ANSWER_MS ? «lastingMs / 2 → 0» : 0',
    'a success does not renew the patience': '«      endOutage(outage);\n → »      return result;',
    'a wait for the reader of stdout is an outage':
      '«await onWait({ reason: error.message + sized.change(), isRateLimited: failed.isRateLimited, waitMs }) → await backOff(() => onWait({ reason: error.message + sized.change(), isRateLimited: failed.isRateLimited, waitMs }), outage, now)»;',
    'a refusal ends no outage':
      'if («error instanceof StatusError → false» || error instanceof BadPageError) endOutage',
    'the latency of attempts decides': 'streak.waitedMs += «waitMs → waitMs + 5000»;',
    'a 500 on a cursor ends no chain': 'error.status === 500) return «serverErrorMs → Infinity»;',
    '429 counts as another failure':
      'error instanceof StatusError && «error.isRateLimited → error.status === 408»;',
  },
  'api/client < simulation/seeds api/client api/doubtful-status api/client-limits api/page-fault api/failed-pages':
    {
      'token is never renewed':
        'token = «await deps.getToken(context → [...accepted].at(0) ?? (await parts.getToken(context)»);',
      'Accept header is missing': "«, accept: 'application/json' → » }",
      '401 or 403 during a read is not retried':
        "return «onRefusal({ → hasReturnedPage ? ('fail' as const) : onRefusal({»",
      'first rejection drops the token': 'const isRepeated = «refusedTokens.has(token) → true»;',
      'another shape is retried like a failure':
        "OtherShapeError && !hasReturnedPage) return «'confirm' → 'retry'»;",
      'another shape after a page is permanent':
        "OtherShapeError «&& !hasReturnedPage → ») return 'confirm';",
      'a page without pagination is believed at once':
        "return «mayFollowRows(query) ? 'last' : 'confirm' → 'fail'»;",
      'page size is unlimited': 'maxBytes: «PAGE.maxBytes → Number.MAX_SAFE_INTEGER» }',
    },
  'api/page-in < api/client api/responses api/response-table api/wrapped-pages': {
    'quoted token is truncated before masking': '(response, excerptOf(response, «redact → (text) => text»))',
    'a 202 is a page': 'new Set([«202, 204 → 204»',
    'smaller pages are tried for what is around them':
      'const isCut = «fault?.isWrapped === false → fault !== null»',
  },
  'http/stated-status': {
    'the status of a row counts': '|| «hasRows(value) → false») return null;',
  },
  'http/named-status < http/stated-status': {
    'the word of a row counts':
      '«remarks.length === 0 ? [] : valuesOf(value, CODE) → valuesOf(value, CODE)»;',
  },
  'http/certificate': {
    'a file without the root is said to lack the issuer':
      'const held = «chain.findLast((one) => isIn(file, one)) → chain.slice(0, 0).at(0)»;',
    'a root is said to be missing from what the server sends': 'chain.length === 1 && «!isRoot(top) → true»;',
  },
  'http/proxy-refusal < http/proxy-sign-in': {
    'a page to sign in is an outage':
      '(«status === SIGN_IN || (status >= 300 && status < 400) → status === SIGN_IN»)',
  },
  'api/request-limits < api/concurrency-limit api/request-limiter': {
    'concurrent failures halve the limit repeatedly': 'if («sentAfter === halvings &&  → »error ',
    'one request per minute too many': 'starts.length <« → =» perMinute ?',
  },
  'api/status-error < api/status-error api/client': {
    '408 is not retried': 'new Set([304, «408, 413, 425 → 413, 425»])',
  },
  'http/request < http/request http/encoding api/response-table': {
    'abort before the body is missed':
      "«if (response.closed) reject(response.errored ?? 'the connection was closed'); → »",
    'chunked response is unlimited': 'if («needed > maxBytes → false») throw tooLarge(maxBytes)',
    'decompressed size is unlimited':
      'return decode(body, { «maxOutputLength: maxBytes → maxOutputLength: Infinity» })',
    'a text without its end need not be whole': 'cut !== null && «!mayBeWhole(decoded) → false»)',
    'a process lingers for a minute after its last response': '«    clearTimeout(timer);\n → »',
  },
  'http/route < http/request http/request-proxy': {
    'certificates are not checked': 'rejectUnauthorized: «true → false»',
    'proxy credentials are sent to the API': '«    auth: undefined,\n → »',
    'User-Agent header is missing': "headers = { «'user-agent': USER_AGENT,  → »'accept-encoding'",
  },
  'http/proxy': {
    'loopback requests use the proxy': 'if («isLoopback(url.hostname) → false») return null;',
    'uppercase proxy variable takes precedence': "return «lower === '' → env[name] !== undefined»",
    'a proxy for all takes precedence': "return «ofScheme.value === '' &&  → »ofAll",
    'decoded proxy password is not masked': ', «decodeURIComponent(proxy.password),  → »credentialsOf(proxy',
  },
  'http/stated-wait': {
    'numbers that describe a limit are a wait': '[^.;«\\\\d → »]{0,60}?',
  },
  'http/asked-wait': {
    'a stated time that has passed is a wait of 0': '«statedMs > 0 → true» ? statedMs',
    'Retry-After uses the local clock': " - «(httpDate(date ?? '') || nowMs) → nowMs»",
    'the renewal of another limit counts': '&& «Number(remaining) !== 0 → false») return',
  },
  'http/response < http/response': {
    'bidi controls reach the terminal': '\\p{Cc}«\\p{Cf} → »',
    'quote ends with half a secret': "('utf8', 0, QUOTED.«decodedBytes → chars»)",
    'query of a URL is not hidden':
      "return pathname === '/' ? origin : «origin + pathname → `${origin}${pathname}?key=canary`»;",
  },
};
