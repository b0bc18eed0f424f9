import { shownAddress } from '../http/answer.ts';
import { grouped } from '../protocol/messages.ts';
import type { HeldToken } from '../token/provider.ts';
import { describeScope } from '../token/rules.ts';
import type { Observer } from './connector.ts';

const NOTHING = '-';
const REFUSALS = { limited: 'limit reached', failed: 'no token' };
const MINUTE_MS = 60_000;
const WRAP_AT = 98;
/** Beyond that a table is no table any more; the verdict has all of it. */
const WHY_CHARS = 60;
const GAP = '  ';

/**
 * What a check has asked and got, as text for people (`check --verbose`): the requests in the order in which they were sent,
 * the tokens without their text, and what is missing, in the words of the verdicts.
 */
export function createCheckReport() {
  const asked: { readonly sentAtMs: number; readonly cells: readonly string[] }[] = [];
  const tokens: HeldToken[] = [];
  const observer: Observer = {
    listAsked: ({ url, sentAtMs, ms, status, page, problem }) => {
      const total = page?.pagination['totalCount'];
      const answer = [
        String(status ?? 'no answer'),
        page === null ? NOTHING : grouped(page.rows.length),
        typeof total === 'number' ? grouped(total) : NOTHING,
        grouped(ms),
      ];
      const why = shortened((problem ?? '').replace(/^status \d+:? ?/, ''));
      asked.push({ sentAtMs, cells: [`GET ${shownAddress(url)}`, url.search.slice(1), ...answer, why] });
    },
    tokenAsked: ({ url, scope, sentAtMs, ms, outcome }) => {
      const [answer, why] =
        outcome.kind === 'issued'
          ? ['issued', '']
          : [REFUSALS[outcome.kind], shortened(outcome.error.message)];
      const what = [`POST ${shownAddress(new URL(url))}`, `audience ${describeScope(scope)}`];
      asked.push({ sentAtMs, cells: [...what, answer, NOTHING, NOTHING, grouped(ms), why] });
    },
    tokenHeld: (token) => tokens.push(token),
  };
  const text = (missing: readonly string[], nowMs: number): string => {
    const requests = asked.toSorted((a, b) => a.sentAtMs - b.sentAtMs).map(({ cells }) => cells);
    const held = tokens.map(({ scope, isOwn, endMs }) => [
      describeScope(scope),
      isOwn ? 'asked for now' : 'kept from before',
      `${timeText(endMs)} (${minutesText(endMs - nowMs)})`,
    ]);
    const blocks = [
      requests.length === 0
        ? 'Nothing was asked.'
        : textTable(['asked', 'query', 'answer', 'rows', 'total', 'ms', 'why not'], requests, [3, 4, 5]),
      held.length === 0 ? 'No token was used.' : textTable(['token for', 'from', 'valid until'], held, []),
      missing.length === 0
        ? 'Nothing is missing.'
        : ['Missing:', ...missing.map((words) => wrapped(printable(words), WRAP_AT))].join('\n'),
    ];
    return `${blocks.join('\n\n')}\n`;
  };
  return { observer, text };
}

function shortened(text: string): string {
  return text.length > WHY_CHARS ? `${text.slice(0, WHY_CHARS)} ...` : text;
}

function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function minutesText(ms: number): string {
  const minutes = Math.floor(ms / MINUTE_MS);
  return minutes < 120 ? `${minutes} min left` : `${Math.floor(minutes / 60)} h left`;
}

/**
 * A table for people: a heading, a line under it, and the rows, in columns as wide as they need to be; those whose index is
 * in `numbers` stand to the right.
 */
export function textTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  numbers: readonly number[],
): string {
  const all = [heading, ...rows].map((cells) => cells.map(printable));
  const widths = heading.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)));
  const lines = [all[0] ?? [], widths.map((width) => '-'.repeat(width)), ...all.slice(1)].map((cells) =>
    cells.map((cell, column) =>
      numbers.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
    ),
  );
  return lines.map((cells) => cells.join(GAP).trimEnd()).join('\n');
}

/** The text on one line, without anything that a terminal would obey. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
}

/** The text in lines of at most `width` characters, as far as its words allow; all but the first are indented. */
export function wrapped(text: string, width: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && longer.length > width) {
      lines.push(line);
      line = `${GAP}${word}`;
    } else line = longer;
  }
  return [...lines, line].join('\n');
}
