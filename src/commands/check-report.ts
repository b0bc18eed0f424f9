import type { ListExchange } from '../api/client.ts';
import { displayUrl, printable } from '../http/response.ts';
import { grouped } from '../protocol/messages.ts';
import type { TokenInfo } from '../token/acquire.ts';
import type { TokenOutcome } from '../token/request.ts';
import { describeScope, type TokenScope } from '../token/rules.ts';

const NOTHING = '-';
const REFUSALS = { limited: 'limit reached', failed: 'no token' };
const MINUTE_MS = 60_000;
const MAX_REASON_CHARS = 60; // keeps the table narrow; the result of the check has the whole text

type Sent = Pick<ListExchange, 'url' | 'sentAtMs' | 'ms'>;
/** Called with each response, and with each token when it is first used. */
export type Observer = ReturnType<typeof createCheckReport>['observer'];

/** `check --verbose`: the requests in order, the tokens without their text, and what is missing. */
export function createCheckReport() {
  const requests: { readonly sentAtMs: number; readonly cells: readonly string[] }[] = [];
  const tokens: TokenInfo[] = [];
  const add = (
    { url, sentAtMs, ms }: Sent,
    method: string,
    cells: readonly string[],
    reason: string,
  ): void => {
    const isLong = reason.length > MAX_REASON_CHARS;
    const shortened = isLong ? `${reason.slice(0, MAX_REASON_CHARS)} ...` : reason;
    requests.push({ sentAtMs, cells: [`${method} ${displayUrl(url)}`, ...cells, grouped(ms), shortened] });
  };
  const observer = {
    onListRequest: (exchange: ListExchange): void => {
      const { url, status, page, problem } = exchange;
      const counts = [page?.rows.length, page?.pagination['totalCount']];
      const shown = counts.map((count) => (typeof count === 'number' ? grouped(count) : NOTHING));
      const reason = (problem ?? '').replace(/^status \d+:? ?/, '');
      add(exchange, 'GET', [url.search.slice(1), String(status ?? 'no response'), ...shown], reason);
    },
    onTokenRequest: (exchange: Sent, scope: TokenScope, outcome: TokenOutcome): void => {
      const isIssued = outcome.kind === 'issued';
      const [result, reason] = isIssued ? ['issued', ''] : [REFUSALS[outcome.kind], outcome.error.message];
      add(exchange, 'POST', [`audience ${describeScope(scope)}`, result, NOTHING, NOTHING], reason);
    },
    onToken: (token: TokenInfo): void => void tokens.push(token),
  };
  const text = (missing: readonly string[], nowMs: number): string => {
    const sent = requests.toSorted((a, b) => a.sentAtMs - b.sentAtMs).map(({ cells }) => cells);
    const used = tokens.map(({ scope, isOwn, endMs }) => {
      return [describeScope(scope), isOwn ? 'newly issued' : 'cached', endText(endMs, nowMs)];
    });
    const heading = ['request', 'query', 'response', 'rows', 'total', 'ms', 'problem'];
    const blocks = [
      sent.length === 0 ? 'No request was sent.' : textTable([heading, ...sent], [3, 4, 5]),
      used.length === 0 ? 'No token was used.' : textTable([['token', 'source', 'valid until'], ...used], []),
      missing.length === 0 ? 'Nothing is missing.' : ['Missing:', ...missing.map(printable)].join('\n'),
    ];
    return `${blocks.join('\n\n')}\n`;
  };
  return { observer, text };
}

function endText(endMs: number, nowMs: number): string {
  const minutes = Math.floor((endMs - nowMs) / MINUTE_MS);
  const left = minutes < 120 ? `${minutes} min left` : `${Math.floor(minutes / 60)} h left`;
  return `${new Date(endMs).toISOString().slice(0, 19).replace('T', ' ')} UTC (${left})`;
}

/** Formats rows as a table whose first row is the heading; the columns listed in `numbers` are aligned to the right. */
export function textTable(rows: readonly (readonly string[])[], numbers: readonly number[]): string {
  const all = rows.map((cells) => cells.map(printable));
  const [heading = []] = all;
  const widths = heading.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)));
  const rule = widths.map((width) => '-'.repeat(width));
  const padded = (cell: string, column: number): string =>
    numbers.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  const lines = all.toSpliced(1, 0, rule).map((cells) => cells.map(padded).join('  ').trimEnd());
  return lines.join('\n');
}
