import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UNKNOWN_SECOND } from '../paging/cursor/known.ts';
import { MIN_INSTANT, readTime } from '../paging/instant.ts';
import { CONFIG, NOW_MS, compared } from './cursor-cases.fake.ts';
import { DAY_MS, listed, readOnce, serviceOf, textsOf, type Listed } from './cursor-service.fake.ts';
import { startFrom } from './cursor-state.ts';

/** A state that version 0.1.0 wrote, what it had read by then, and the question that follows. */
interface Saved {
  readonly kind: string;
  readonly list: {
    readonly count: number;
    readonly stepMs: number;
    readonly shown: 'zone' | 'local' | 'date';
    readonly order: 'ascending' | 'newest first';
  };
  readonly config: { readonly start_date?: string; readonly end_date?: string };
  readonly emitted: readonly number[]; // the numbers of rows
  readonly question: string | null;
  readonly state: { readonly seen: readonly string[]; readonly open?: readonly object[] };
}

const path = join(import.meta.dirname, 'cursor-states-0.1.0.json');
const SAVED = JSON.parse(readFileSync(path, 'utf8')) as readonly Saved[];
const SHOWN_LENGTH = { zone: 24, local: 23, date: 10 };

function rowsOf({ count, stepMs, shown }: Saved['list']): Listed[] {
  return Array.from({ length: count }, (_, at) => {
    const ms = NOW_MS - 5 * DAY_MS + at * stepMs;
    return listed(ms, `row ${at}`, new Date(ms).toISOString().slice(0, SHOWN_LENGTH[shown]));
  });
}

test.each(SAVED)(
  'a state of 0.1.0, $kind: the lowest question, and its known rows',
  ({ question, state }) => {
    const { from } = startFrom(
      { stream: 'alarms', file: null },
      { ...state, seen: [...state.seen] } as object,
      'createdDate',
    );
    expect(from.question).toBe(question === null ? MIN_INSTANT : readTime(question)?.instant);
    const seen = state.seen.map((text) => ({ print: text.slice(0, 12), second: UNKNOWN_SECOND }));
    expect(from.seen).toStrictEqual(seen);
  },
);

test.each(SAVED)('a read that goes on from a state of 0.1.0, $kind, loses nothing', async (saved) => {
  const all = rowsOf(saved.list);
  const service = serviceOf(saved.list.order === 'ascending' ? all : all.toReversed(), 20);
  const { end_date: _end, ...own } = saved.config;
  const config = { ...CONFIG, ...own };
  const before = saved.emitted.map((at) => all[at]?.text ?? '');
  const first = await readOnce(service, saved.state as object as Record<string, unknown>, config, Infinity);
  const wanted = textsOf(all.filter(({ time }) => time >= Date.parse(config.start_date ?? '1970')));
  const { lost, repeated } = compared(wanted, [...before, ...first.rows]);
  expect(lost).toEqual([]);
  // rows between several open ranges are not all known
  const hasGaps = (saved.state.open?.length ?? 0) > 1;
  expect(repeated.length > 0).toBe(hasGaps);
  if (hasGaps) expect(first.logs).toContainEqual(expect.stringContaining('may be repeated'));
  expect((await readOnce(service, first.state, config, Infinity)).rows).toEqual([]);
});
