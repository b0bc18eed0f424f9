import { mix } from '../sandbox/data/random.ts';
import { createChoices } from './choices.ts';
import type { AssetsPlan } from './scenario-lists.ts';
import { createShown, extraMembers, refusal } from './simulated-list.ts';
import type { Answer, Surroundings } from './simulated-list.ts';

export function createAssetsList(plan: AssetsPlan, seed: number, around: Surroundings) {
  const { isCalm, matters, moment, tell } = around;
  const { below, between, chance } = createChoices(mix(seed, 11));
  const { served, rowsOf, page } = createShown(around);
  /** All that there ever were; it is in the list from one moment until another one. */
  const rows: { number: number; from: number; until: number }[] = [];
  /** Newest first. */
  const list: typeof rows = [];
  let showings = 0;
  let staleTotal = plan.rows;

  const insert = (count: number): void => {
    for (let left = Math.min(count, plan.maxRows - rows.length); left > 0; left--) {
      const row = { number: rows.length, from: moment(), until: Number.POSITIVE_INFINITY };
      rows.push(row);
      list.unshift(row);
      tell(() => `assets: row ${row.number} comes in`);
    }
  };
  const remove = (count: number): void => {
    for (let left = Math.min(count, list.length); left > 0; left--) {
      const [row] = list.splice(below(list.length), 1);
      if (row === undefined) return;
      row.until = moment();
      matters('assetDeletes');
      tell(() => `assets: row ${row.number} is deleted`);
    }
  };
  const changeOnce = (): void => {
    staleTotal = list.length;
    const { inserts, deletes } = plan;
    if (chance(inserts.percent)) {
      matters('assetInserts');
      insert(between(1, inserts.max));
    }
    if (chance(deletes.percent)) remove(between(1, deletes.max));
  };
  /** `end`: how many rows stand up to the end of a page. */
  const totalOf = (end: number): number | null | undefined => {
    const { length } = list;
    const inexact = { 'too large': length + 7, 'too small': length >> 1, 'what was shown': end };
    const others = { absent: undefined, null: null, 'minus one': -1, zero: 0, stale: staleTotal };
    const total = { right: length, ...others, ...inexact }[plan.totals];
    if (total !== length) matters('totals');
    return total;
  };
  /** The offset of the page that answers an offset at or beyond the end; a status where that is refused. */
  const answerPastEnd = (offset: number, end: number, granted: number): number => {
    matters(offset >= list.length ? 'pastEnd' : 'depth');
    if (typeof plan.pastEnd === 'number') return plan.pastEnd;
    if (plan.pastEnd === 'empty page') return Number.POSITIVE_INFINITY;
    return plan.pastEnd === 'first page' ? 0 : Math.max(0, end - granted);
  };
  const noteSizes = (shown: number): void => {
    if (shown > 0) for (const size of ['assetRows', 'assetIds', 'assetText'] as const) matters(size);
    if (shown < list.length) matters('assetPage');
    matters('offsetEcho');
  };

  insert(plan.rows);
  return {
    rows,
    served,
    rowsOf,
    echoesOffset: plan.echoesOffset,
    nextRead: () => void served.splice(0),
    /** Changes the list so many times between two reads. */
    change: (times: number): void => {
      for (let left = times; left > 0; left--) changeOnce();
    },
    /** Answers one request; the list may change before it does. */
    answer: (query: URLSearchParams): Answer => {
      if (!isCalm()) changeOnce();
      const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset'))];
      if (!Number.isInteger(limit) || limit < 1 || !Number.isInteger(offset) || offset < 0)
        return refusal(400, `limit ${limit}, offset ${offset}`);
      if (plan.refusesMore && limit > plan.maxPerPage) {
        matters('largePage');
        return refusal(400, `limit ${limit} is too large`);
      }
      const granted = Math.min(limit, plan.maxPerPage);
      const isShort = granted > 2 && chance(plan.shortPercent);
      if (isShort) matters('shortAssetPages');
      const end = Math.min(list.length, plan.depth ?? list.length);
      const isPastEnd = offset > 0 && offset >= end;
      const start = isPastEnd ? answerPastEnd(offset, end, granted) : offset;
      if (isPastEnd && start === plan.pastEnd) return refusal(start, `offset ${offset} is out of range`);
      const width = isShort ? between(2, granted - 1) : granted;
      const shown = list.slice(start, Math.min(end, start + width));
      noteSizes(shown.length);
      const texts = shown.map(({ number }) => [number, textOf(number, plan, showings++)] as const);
      const totalCount = totalOf(offset + shown.length);
      return page(offset, texts, { offset: plan.echoesOffset ? offset : undefined, limit, totalCount });
    },
  };
}

function textOf(row: number, { ids, isVolatile }: AssetsPlan, showing: number): string {
  const kinds = { text: idOf(row, 0), number: idOf(row, 1), absent: '', mixed: idOf(row >> 1, row % 3) };
  const seen = isVolatile ? `,"seen":${showing}` : '';
  return `{${kinds[ids]}"vin":"V${row}"${extraMembers(row)}${seen}}`;
}

function idOf(row: number, kind: number): string {
  if (kind === 0) return `"assetId":"${70_000 + row}",`;
  return kind === 1 ? `"assetId":${70_000 + row},` : '';
}
