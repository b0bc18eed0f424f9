import { SIMULATION, plantedIn } from './mutant.ts';

/** Faults around one request to a list: pages, retries, limits, tokens that are refused. */
export const API_MUTANTS = [
  ...plantedIn('src/api/page.ts', SIMULATION, {
    'a page without items is the end of the list':
      "«throw new BadPageError('the body has no array `items`') → return { rows: [], pagination: {} }»;",
    'a body that is not UTF-8 is taken':
      "«if (!isUtf8(body)) throw new BadPageError('the body is not valid UTF-8'); → »",
  }),
  ...plantedIn('src/api/page.ts', ['src/api/page.test.ts'], {
    'a page with one empty item counts as an empty page':
      '«if (oddItem !== NONE) throw new BadPageError(`items[${oddItem}] is not an object with fields`); → »',
  }),
  ...plantedIn('src/api/retry.ts', SIMULATION, {
    'three attempts instead of six': 'spent.failures >= «budget.attempts → 3»',
    'a 429 counts as any other failure': 'isRateLimited: error.status === «429 → 408»',
  }),
  ...plantedIn('src/api/retry.ts', ['src/api/retry-delay.test.ts', 'src/api/retry.test.ts'], {
    'the wait that a 503 asks for is not kept':
      ': «Math.max(asked ?? 0 → Math.max(0», Math.floor(random * exponential(',
    'Retry-After: 0 is a licence to hammer':
      'undefined : «Math.max(asked, exponential(limits, BACKOFF.rateLimitMostMs)) → asked»;',
    'a check waits longer than a person does': '«spent.elapsedMs +  → »waitMs > budget.lastStartMs;',
  }),
  ...plantedIn('src/api/client.ts', SIMULATION, {
    'a token is used for ever': 'const token = «await bearer(context → accepted ?? (await bearer(context)»);',
  }),
  ...plantedIn(
    'src/api/client.ts',
    ['src/api/client.test.ts', 'src/api/doubtful-status.test.ts', 'src/api/client-limits.test.ts'],
    {
      'a list is asked without saying that JSON is wanted': "«, accept: 'application/json' → » }",
      'one odd refusal of a token that works ends a read':
        "if (verdict === 'believe'« && !wasAccepted → ») throw error;",
      'the first refusal of a token burns it': 'const isRepeated = «refusedBefore.has(token) → true»;',
      'a page of any size is taken into memory': 'maxBytes: «PAGE.mostBytes → Number.MAX_SAFE_INTEGER»,',
      'what a refusing server repeats of a token is cut before it is masked':
        'words: wordsOf(response, «redact → (text) => text») });',
    },
  ),
  ...plantedIn(
    'src/api/request-limits.ts',
    ['src/api/concurrency-limit.test.ts', 'src/api/request-limiter.test.ts'],
    {
      'requests that fail together halve the bound once each':
        'if («sentAfter === halvings &&  → »error instanceof',
      'a minute has one request more than allowed': 'turns.length <« → =» perMinute ?',
    },
  ),
  ...plantedIn('src/api/status-error.ts', ['src/api/status-error.test.ts', 'src/api/client.test.ts'], {
    'a 408 ends a read': 'new Set([304, «408, 425 → 425», 429])',
  }),
];
