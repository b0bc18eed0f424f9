import type { Mutant } from './mutant.ts';

/** Faults in one exchange: caps, proxies, what is shown of an answer. */
export const HTTP_MUTANTS: readonly Mutant[] = [
  {
    file: 'src/http/request.ts',
    text: '      if (needed > maxBytes) throw tooLarge();\n',
    planted: '',
    breaks: 'an answer that does not say its size has no cap',
    nearest: ['src/http/request.test.ts'],
  },
  {
    file: 'src/http/request.ts',
    text: 'gunzipSync(body, { maxOutputLength: maxBytes })',
    planted: 'gunzipSync(body)',
    breaks: 'a small answer may unpack to any size',
    nearest: ['src/http/encoding.test.ts'],
  },
  {
    file: 'src/http/request.ts',
    text: '    clearTimeout(timer);\n',
    planted: '',
    breaks: 'a process lingers for a minute behind its last answer',
    nearest: ['src/http/request.test.ts'],
  },
  {
    file: 'src/http/route.ts',
    text: '    rejectUnauthorized: true,\n    signal,',
    planted: '    rejectUnauthorized: false,\n    signal,',
    breaks: 'certificates are not checked',
    nearest: ['src/http/request.test.ts', 'src/http/request-proxy.test.ts'],
  },
  {
    file: 'src/http/route.ts',
    text: 'auth: proxy === null ? auth : undefined,',
    planted: 'auth,',
    breaks: 'credentials of a proxy are sent to the API',
    nearest: ['src/http/request-proxy.test.ts'],
  },
  {
    file: 'src/http/route.ts',
    text: "      'user-agent': USER_AGENT,\n      'accept-encoding'",
    planted: "      'accept-encoding'",
    breaks: 'requests do not say who asks',
    nearest: ['src/http/request.test.ts'],
  },
  {
    file: 'src/http/proxy.ts',
    text: ' || isLoopback(url.hostname)',
    planted: '',
    breaks: 'what shall stay on the machine goes over the proxy in plain http',
    nearest: ['src/http/proxy.test.ts'],
  },
  {
    file: 'src/http/proxy.ts',
    text: "(environment[name.toLowerCase()] ?? environment[name] ?? '')",
    planted: "(environment[name] ?? environment[name.toLowerCase()] ?? '')",
    breaks: 'the variable in capitals comes before that in small letters',
    nearest: ['src/http/proxy.test.ts'],
  },
  {
    file: 'src/http/proxy.ts',
    text: '[proxy.password, decodeURIComponent(proxy.password), credentialsOf(proxy)]',
    planted: '[proxy.password, credentialsOf(proxy)]',
    breaks: 'the decoded password of a proxy shows',
    nearest: ['src/http/proxy.test.ts'],
  },
  {
    file: 'src/http/answer.ts',
    text: "body.toString('utf8', 0, QUOTED.decodedBytes)",
    planted: "body.toString('utf8', 0, QUOTED.chars)",
    breaks: 'half of a secret shows at the end of what is quoted',
    nearest: ['src/http/answer.test.ts'],
  },
  {
    file: 'src/http/answer.ts',
    text: "until - (httpDate(headers.date ?? '') ?? nowMs)",
    planted: 'until - nowMs',
    breaks: 'a wrong local clock makes Retry-After wrong',
    nearest: ['src/http/answer.test.ts', 'src/api/retry-delay.test.ts'],
  },
  {
    file: 'src/http/answer.ts',
    text: 'export function shownAddress({ origin, pathname }: URL): string {\n  return origin + pathname.',
    planted: 'export function shownAddress({ href }: URL): string {\n  return href.',
    breaks: 'a key in the query of an address shows',
    nearest: ['src/http/answer.test.ts'],
  },
];
