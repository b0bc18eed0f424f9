import { mix } from '../sandbox/data/random.ts';
import { createChoices, type Choices } from './choices.ts';
import type { AssetsPlan } from './scenario-lists.ts';
import { createShown, extraMembers, refusal } from './simulated-list.ts';
import type { Answer, Matters, Surroundings } from './simulated-list.ts';

interface AssetRow {
  readonly number: number;
  readonly from: number;
  until: number;
}

export function createAssetsList(plan: AssetsPlan, seed: number, around: Surroundings) {
  const { matters } = around;
  const choices = createChoices(mix(seed, 11));
  const { between, chance } = choices;
  const { served, rowsOf, page } = createShown(around);
  const { rows, list, change, staleTotal } = createRows(plan, choices, around);
  let showings = 0;
  const pageAt = (offset: number, limit: number): Answer => {
    const granted = Math.min(limit, plan.maxPerPage);
    const isShort = granted > 2 && chance(plan.shortPercent);
    if (isShort) matters('shortAssetPages');
    const end = Math.min(list.length, plan.depth ?? list.length);
    const isPastEnd = offset > 0 && offset >= end;
    if (isPastEnd) matters(offset >= list.length ? 'pastEnd' : 'depth');
    const start = isPastEnd ? startPastEnd(plan, end, granted) : offset;
    if (isPastEnd && start === plan.pastEnd) return refusal(start, `offset ${offset} is out of range`);
    const shown = list.slice(start, Math.min(end, start + (isShort ? between(2, granted - 1) : granted)));
    if (shown.length > 0) for (const size of ['assetRows', 'assetKeys', 'assetText'] as const) matters(size);
    if (shown.length < list.length) matters('assetPage');
    matters('offsetEcho');
    const texts = shown.map(({ number }) => [number, textOf(number, plan, showings++)] as const);
    const totalCount = totalOf(plan.totals, list.length, offset + shown.length, staleTotal());
    if (totalCount !== list.length) matters('totals');
    return page(offset, texts, { offset: statedOffset(plan, start, offset), limit, totalCount });
  };
  return {
    rows,
    served,
    rowsOf,
    statesOffset: plan.offsetEcho !== 'absent',
    startRead: (): void => {
      served.splice(0);
    },
    change: (times: number): void => {
      for (let left = times; left > 0; left--) change();
    },
    answer: (query: URLSearchParams): Answer => {
      if (!around.isCalm()) change();
      const request = requestOf(query, plan, matters);
      return 'status' in request ? request : pageAt(request.offset, request.limit);
    },
  };
}

/** The offset that a page states which starts at one row and was requested at another. */
function statedOffset({ offsetEcho }: AssetsPlan, start: number, requested: number): number | undefined {
  return {
    'requested offset': requested,
    'start of the page': Math.min(start, requested),
    absent: undefined,
  }[offsetEcho];
}

/** The rows that ever existed, the list (newest first), and how it changes. */
function createRows(
  plan: AssetsPlan,
  { below, between, chance }: Choices,
  { matters, moment, trace }: Surroundings,
) {
  const rows: AssetRow[] = [];
  const list: AssetRow[] = [];
  let staleTotal = plan.rows;
  const insert = (count: number): void => {
    for (let left = Math.min(count, plan.maxRows - rows.length); left > 0; left--) {
      const row = { number: rows.length, from: moment(), until: Infinity };
      rows.push(row);
      list.unshift(row);
      trace(() => `assets: row ${row.number} is inserted`);
    }
  };
  const remove = (count: number): void => {
    for (let left = Math.min(count, list.length); left > 0; left--) {
      const [row] = list.splice(below(list.length), 1);
      if (row === undefined) return;
      row.until = moment();
      matters('assetDeletes');
      trace(() => `assets: row ${row.number} is deleted`);
    }
  };
  const change = (): void => {
    staleTotal = list.length;
    const { inserts, deletes } = plan;
    if (chance(inserts.percent)) {
      matters('assetInserts');
      insert(between(1, inserts.max));
    }
    if (chance(deletes.percent)) remove(between(1, deletes.max));
  };
  insert(plan.rows);
  return { rows, list, change, staleTotal: () => staleTotal };
}

function requestOf(query: URLSearchParams, { maxPerPage, refusesMore }: AssetsPlan, matters: Matters) {
  const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset'))];
  if (!Number.isInteger(limit) || limit < 1 || !Number.isInteger(offset) || offset < 0)
    return refusal(400, `limit ${limit}, offset ${offset}`);
  if (!refusesMore || limit <= maxPerPage) return { limit, offset };
  matters('largePage');
  return refusal(400, `limit ${limit} is too large`);
}

function totalOf(kind: AssetsPlan['totals'], length: number, end: number, stale: number) {
  const inexact = { 'too large': length + 7, 'too small': length >> 1, 'what was shown': end };
  const others = { absent: undefined, null: null, 'minus one': -1, zero: 0, stale };
  return { right: length, ...others, ...inexact }[kind];
}

/** The offset of the page that answers an offset past the end, or the status that refuses it. */
function startPastEnd({ pastEnd }: AssetsPlan, end: number, granted: number): number {
  if (typeof pastEnd === 'number') return pastEnd;
  if (pastEnd === 'empty page') return Infinity;
  return pastEnd === 'first page' ? 0 : Math.max(0, end - granted);
}

function textOf(row: number, { ids, isVolatile }: AssetsPlan, showing: number): string {
  const kinds = {
    text: idOf(row, 0),
    number: idOf(row, 1),
    absent: '',
    mixed: idOf(row >> 1, row % 3),
    shared: idOf(sharedKey(row), 0),
  };
  const seen = isVolatile ? `,"seen":${showing}` : '';
  return `{${kinds[ids]}"vin":"V${row}"${extraMembers(row)}${seen}}`;
}

/** The first row with the same key, if keys are shared: some rows share theirs with the row before, others with a distant one. */
export function sharedKey(row: number): number {
  if (row % 5 === 4) return row - 1;
  return row % 11 === 10 ? row % 8 : row;
}

function idOf(row: number, kind: number): string {
  if (kind === 0) return `"assetId":"${70_000 + row}",`;
  return kind === 1 ? `"assetId":${70_000 + row},` : '';
}
