import type { ListExchange } from '../api/client.ts';
import { displayUrl, printable } from '../http/response.ts';
import { grouped } from '../protocol/messages.ts';
import type { HeldToken } from '../token/acquire.ts';
import type { TokenOutcome } from '../token/request.ts';
import { describeScope } from '../token/rules.ts';
import type { TokenScope } from '../token/rules.ts';

const NOTHING = '-';
const REFUSALS = { limited: 'limit reached', failed: 'no token' };
const MINUTE_MS = 60_000;
const WRAP_AT = 98;
/** Beyond that a table is no table any more; the verdict has all of it. */
const WHY_CHARS = 60;
const GAP = '  ';

type Asked = Pick<ListExchange, 'url' | 'sentAtMs' | 'ms'>;
/** Told of all that a command asks of the API, as it is answered, and of each token that is used from now on. */
export type Observer = ReturnType<typeof createCheckReport>['observer'];

/** `check --verbose`: what was asked, in that order, the tokens without their text, and what is missing. */
export function createCheckReport() {
  const asked: { readonly sentAtMs: number; readonly cells: readonly string[] }[] = [];
  const tokens: HeldToken[] = [];
  const note = (of: Asked, method: string, cells: readonly string[], why: string): void => {
    const { url, sentAtMs, ms } = of;
    const shortened = why.length > WHY_CHARS ? `${why.slice(0, WHY_CHARS)} ...` : why;
    asked.push({ sentAtMs, cells: [`${method} ${displayUrl(url)}`, ...cells, grouped(ms), shortened] });
  };
  const observer = {
    listAsked: (exchange: ListExchange): void => {
      const { url, status, page, problem } = exchange;
      const counts = [page?.rows.length, page?.pagination['totalCount']];
      const shown = counts.map((count) => (typeof count === 'number' ? grouped(count) : NOTHING));
      const why = (problem ?? '').replace(/^status \d+:? ?/, '');
      note(exchange, 'GET', [url.search.slice(1), String(status ?? 'no answer'), ...shown], why);
    },
    tokenAsked: (exchange: Asked, scope: TokenScope, outcome: TokenOutcome): void => {
      const isIssued = outcome.kind === 'issued';
      const [answer, why] = isIssued ? ['issued', ''] : [REFUSALS[outcome.kind], outcome.error.message];
      note(exchange, 'POST', [`audience ${describeScope(scope)}`, answer, NOTHING, NOTHING], why);
    },
    tokenHeld: (token: HeldToken): void => void tokens.push(token),
  };
  const text = (missing: readonly string[], nowMs: number): string => {
    const requests = asked.toSorted((a, b) => a.sentAtMs - b.sentAtMs).map(({ cells }) => cells);
    const held = tokens.map(({ scope, isOwn, endMs }) => {
      return [describeScope(scope), isOwn ? 'asked for now' : 'kept from before', endText(endMs, nowMs)];
    });
    const heading = ['asked', 'query', 'answer', 'rows', 'total', 'ms', 'why not'];
    const words = missing.map((line) => wrapped(printable(line), WRAP_AT));
    const blocks = [
      requests.length === 0 ? 'Nothing was asked.' : textTable([heading, ...requests], [3, 4, 5]),
      held.length === 0
        ? 'No token was used.'
        : textTable([['token for', 'from', 'valid until'], ...held], []),
      words.length === 0 ? 'Nothing is missing.' : ['Missing:', ...words].join('\n'),
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

/** A table below its heading, its columns as wide as they need to be; those whose index is in `numbers` stand to the right. */
export function textTable(rows: readonly (readonly string[])[], numbers: readonly number[]): string {
  const all = rows.map((cells) => cells.map(printable));
  const [heading = []] = all;
  const widths = heading.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)));
  const rule = widths.map((width) => '-'.repeat(width));
  const padded = (cell: string, column: number): string =>
    numbers.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  const lines = all.toSpliced(1, 0, rule).map((cells) => cells.map(padded).join(GAP).trimEnd());
  return lines.join('\n');
}

/** The text in lines of at most `width` characters, as far as its words allow; all but the first are indented. */
export function wrapped(text: string, width: number): string {
  return text.split(' ').reduce((lines, word) => {
    const lineEnd = lines.length - lines.lastIndexOf('\n') + word.length;
    return `${lines}${lineEnd > width ? `\n${GAP}` : ' '}${word}`;
  });
}
