import { shownAddress } from '../http/answer.ts';
import { grouped } from '../protocol/messages.ts';
import { describeScope } from '../token/rules.ts';
import type { Observer } from './observer.ts';
import { printable, textTable, wrapped } from './text-table.ts';

/** What a check has asked and got, for people (`check --verbose`). */
export interface CheckReport {
  readonly observer: Observer;
  /**
   * The report as text: the requests in the order in which they were sent, the tokens without their text, and what is
   * missing, in the words of the verdicts.
   */
  readonly text: (missing: readonly string[], nowMs: number) => string;
}

interface Asked {
  readonly sentAtMs: number;
  readonly cells: readonly string[];
}

const NOTHING = '-';
const REFUSALS = { limited: 'limit reached', failed: 'no token' };
const MINUTE_MS = 60_000;
const WRAP_AT = 98;
/** Beyond that a table is no table any more; the verdict has all of it. */
const WHY_CHARS = 60;

export function createCheckReport(): CheckReport {
  const asked: Asked[] = [];
  const tokens: { readonly audience: string; readonly isOwn: boolean; readonly endMs: number }[] = [];
  return {
    observer: {
      listAsked: ({ url, sentAtMs, ms, status, page, problem }) => {
        const total = page?.pagination['totalCount'];
        asked.push({
          sentAtMs,
          cells: [
            `GET ${shownAddress(url)}`,
            url.search.slice(1),
            String(status ?? 'no answer'),
            page === null ? NOTHING : grouped(page.rows.length),
            typeof total === 'number' ? grouped(total) : NOTHING,
            grouped(ms),
            shortened((problem ?? '').replace(/^status \d+:? ?/, '')),
          ],
        });
      },
      tokenAsked: ({ url, scope, sentAtMs, ms, outcome }) => {
        const isIssued = outcome.kind === 'issued';
        asked.push({
          sentAtMs,
          cells: [
            `POST ${shownAddress(new URL(url))}`,
            `audience ${describeScope(scope)}`,
            isIssued ? 'issued' : REFUSALS[outcome.kind],
            NOTHING,
            NOTHING,
            grouped(ms),
            isIssued ? '' : shortened(outcome.error.message),
          ],
        });
      },
      tokenHeld: ({ scope, isOwn, endMs }) => {
        tokens.push({ audience: describeScope(scope), isOwn, endMs });
      },
    },
    text: (missing, nowMs) => {
      const rows = asked.toSorted((a, b) => a.sentAtMs - b.sentAtMs).map(({ cells }) => cells);
      const blocks = [
        rows.length === 0
          ? 'Nothing was asked.'
          : textTable(['asked', 'query', 'came', 'rows', 'total', 'ms', 'why not'], rows, [3, 4, 5]),
        tokens.length === 0
          ? 'No token was used.'
          : textTable(
              ['token for', 'from', 'valid until'],
              tokens.map(({ audience, isOwn, endMs }) => [
                audience,
                isOwn ? 'asked for now' : 'kept from before',
                `${timeText(endMs)} (${minutesText(endMs - nowMs)})`,
              ]),
              [],
            ),
        missing.length === 0
          ? 'Nothing is missing.'
          : ['Missing:', ...missing.map((words) => wrapped(printable(words), WRAP_AT, '  '))].join('\n'),
      ];
      return `${blocks.join('\n\n')}\n`;
    },
  };
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
