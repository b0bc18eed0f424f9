import { shownAddress } from '../http/answer.ts';
import { grouped } from '../protocol/messages.ts';
import type { HeldToken } from '../token/acquire.ts';
import { describeScope } from '../token/rules.ts';
import type { Observer } from './connector.ts';

const NOTHING = '-';
const REFUSALS = { limited: 'limit reached', failed: 'no token' };
const MINUTE_MS = 60_000;
const WRAP_AT = 98;
/** Beyond that a table is no table any more; the verdict has all of it. */
const WHY_CHARS = 60;
const GAP = '  ';

/** `check --verbose`: what was asked, in that order, the tokens without their text, and what is missing. */
export function createCheckReport() {
  const asked: { readonly sentAtMs: number; readonly cells: readonly string[] }[] = [];
  const tokens: HeldToken[] = [];
  const observer: Observer = {
    listAsked: ({ url, sentAtMs, ms, status, page, problem }) => {
      const what = [`GET ${shownAddress(url)}`, url.search.slice(1), String(status ?? 'no answer')];
      const counts = [page?.rows.length, page?.pagination['totalCount']];
      const shown = counts.map((count) => (typeof count === 'number' ? grouped(count) : NOTHING));
      const why = shortened((problem ?? '').replace(/^status \d+:? ?/, ''));
      asked.push({ sentAtMs, cells: [...what, ...shown, grouped(ms), why] });
    },
    tokenAsked: ({ url, scope, sentAtMs, ms, outcome }) => {
      const isIssued = outcome.kind === 'issued';
      const [answer, why] = isIssued ? ['issued', ''] : [REFUSALS[outcome.kind], outcome.error.message];
      const what = [`POST ${shownAddress(url)}`, `audience ${describeScope(scope)}`];
      asked.push({ sentAtMs, cells: [...what, answer, NOTHING, NOTHING, grouped(ms), shortened(why)] });
    },
    tokenHeld: (token) => tokens.push(token),
  };
  const text = (missing: readonly string[], nowMs: number): string => {
    const requests = asked.toSorted((a, b) => a.sentAtMs - b.sentAtMs).map(({ cells }) => cells);
    const held = tokens.map(({ scope, isOwn, endMs }) => [
      describeScope(scope),
      isOwn ? 'asked for now' : 'kept from before',
      endText(endMs, nowMs),
    ]);
    const headings = ['asked', 'query', 'answer', 'rows', 'total', 'ms', 'why not'];
    const words = missing.map((line) => wrapped(printable(line), WRAP_AT));
    const blocks = [
      requests.length === 0 ? 'Nothing was asked.' : textTable(headings, requests, [3, 4, 5]),
      held.length === 0 ? 'No token was used.' : textTable(['token for', 'from', 'valid until'], held, []),
      words.length === 0 ? 'Nothing is missing.' : ['Missing:', ...words].join('\n'),
    ];
    return `${blocks.join('\n\n')}\n`;
  };
  return { observer, text };
}

function shortened(text: string): string {
  return text.length > WHY_CHARS ? `${text.slice(0, WHY_CHARS)} ...` : text;
}

function endText(endMs: number, nowMs: number): string {
  const minutes = Math.floor((endMs - nowMs) / MINUTE_MS);
  const left = minutes < 120 ? `${minutes} min left` : `${Math.floor(minutes / 60)} h left`;
  return `${new Date(endMs).toISOString().slice(0, 19).replace('T', ' ')} UTC (${left})`;
}

/** A table for people, its columns as wide as they need to be; those whose index is in `numbers` stand to the right. */
export function textTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  numbers: readonly number[],
): string {
  const all = [heading, ...rows].map((cells) => cells.map(printable));
  const widths = heading.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)));
  const rule = widths.map((width) => '-'.repeat(width));
  const padded = (cell: string, column: number): string =>
    numbers.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  return all
    .toSpliced(1, 0, rule)
    .map((cells) => cells.map(padded).join(GAP).trimEnd())
    .join('\n');
}

/** The text on one line, without anything that a terminal would obey. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
}

/** The text in lines of at most `width` characters, as far as its words allow; all but the first are indented. */
export function wrapped(text: string, width: number): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined) lines.push(word);
    else if (line.length + 1 + word.length > width) lines.push(`${GAP}${word}`);
    else lines.splice(-1, 1, `${line} ${word}`);
  }
  return lines.join('\n');
}
