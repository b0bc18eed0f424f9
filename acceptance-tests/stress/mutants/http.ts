import { plantedIn } from './mutant.ts';

/** Faults in one exchange: caps, proxies, what is shown of an answer. */
export const HTTP_MUTANTS = [
  ...plantedIn('src/http/request.ts', ['src/http/request.test.ts', 'src/http/encoding.test.ts'], {
    'an answer that does not say its size has no cap':
      '«      if (needed > maxBytes) throw tooLarge();\n → »',
    'a small answer may unpack to any size': 'gunzipSync(body«, { maxOutputLength: maxBytes } → »)',
    'a process lingers for a minute behind its last answer': '«    clearTimeout(timer);\n → »',
  }),
  ...plantedIn('src/http/route.ts', ['src/http/request.test.ts', 'src/http/request-proxy.test.ts'], {
    'certificates are not checked': '    rejectUnauthorized: «true → false»,\n    tunnelSignal',
    'credentials of a proxy are sent to the API': 'auth«: proxy === null ? auth : undefined → »,',
    'requests do not say who asks': "      '«user-agent': USER_AGENT,\n      ' → »accept-encoding'",
  }),
  ...plantedIn('src/http/proxy.ts', ['src/http/proxy.test.ts'], {
    'what shall stay on the machine goes over the proxy in plain http': '« || isLoopback(url.hostname) → »',
    'the variable in capitals comes before that in small letters':
      "(environment[name«.toLowerCase()] ?? environment[name → ] ?? environment[name.toLowerCase()»] ?? '')",
    'the decoded password of a proxy shows':
      '[proxy.password, «decodeURIComponent(proxy.password),  → »credentialsOf(proxy)]',
  }),
  ...plantedIn('src/http/answer.ts', ['src/http/answer.test.ts', 'src/api/retry-delay.test.ts'], {
    'half of a secret shows at the end of what is quoted':
      "body.toString('utf8', 0, QUOTED.«decodedBytes → chars»)",
    'a wrong local clock makes Retry-After wrong':
      "until - «(httpDate(headers.date ?? '') ?? nowMs) → nowMs»",
    'a key in the query of an address shows':
      'shownAddress({ «origin, pathname }: URL): string {\n  return origin + pathname → ' +
      'href }: URL): string {\n  return href».',
  }),
];
