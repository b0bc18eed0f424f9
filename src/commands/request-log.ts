import type { ListExchange } from '../api/client.ts';
import { displayUrl } from '../http/response.ts';
import { counted, grouped } from '../protocol/messages.ts';
import type { TokenInfo } from '../token/acquire.ts';
import { describeScope } from '../token/rules.ts';

/** Called with each response of a list, and with each token when it is first used. */
export type Observer = ReturnType<typeof createRequestLog>;

/** `check --verbose`: logs each request to a list with its result, and each token without its text. */
export function createRequestLog(log: (message: string) => void) {
  return {
    onListRequest: ({ url, ms, page, problem }: ListExchange): void => {
      const total = page?.pagination['totalCount'];
      const rows = counted(page?.rows.length ?? 0, 'row', 'rows');
      const found = typeof total === 'number' ? `${rows} of ${grouped(total)}` : rows;
      log(`GET ${displayUrl(url)}${url.search}: ${problem ?? found} (${grouped(ms)} ms)`);
    },
    onToken: ({ scope, isOwn, endMs }: TokenInfo): void => {
      const source = isOwn ? 'newly issued' : 'cached';
      log(
        `token for audience ${describeScope(scope)}: ${source}, valid until ${new Date(endMs).toISOString()}`,
      );
    },
  };
}
