import type { ListExchange } from '../api/client.ts';
import { displayUrl } from '../http/response.ts';
import { counted, grouped } from '../protocol/messages.ts';
import type { TokenInfo } from '../token/acquire.ts';
import type { TokenOutcome } from '../token/request.ts';
import { describeScope, type TokenScope } from '../token/rules.ts';

/** Called with each response, and with each token when it is first used. */
export type Observer = ReturnType<typeof createRequestLog>;

/** `check --verbose`: logs each request with its result, and each token without its text. */
export function createRequestLog(log: (message: string) => void) {
  return {
    onListRequest: ({ url, ms, page, problem }: ListExchange): void => {
      const total = page?.pagination['totalCount'];
      const rows = counted(page?.rows.length ?? 0, 'row', 'rows');
      const found = typeof total === 'number' ? `${rows} of ${grouped(total)}` : rows;
      log(`GET ${displayUrl(url)}${url.search}: ${problem ?? found} (${grouped(ms)} ms)`);
    },
    onTokenRequest: (url: URL, ms: number, scope: TokenScope, outcome: TokenOutcome): void => {
      const result = outcome.kind === 'issued' ? 'issued' : outcome.error.message;
      log(`POST ${displayUrl(url)}, audience ${describeScope(scope)}: ${result} (${grouped(ms)} ms)`);
    },
    onToken: ({ scope, isOwn, endMs }: TokenInfo): void => {
      const source = isOwn ? 'newly issued' : 'cached';
      log(
        `token for audience ${describeScope(scope)}: ${source}, valid until ${new Date(endMs).toISOString()}`,
      );
    },
  };
}
