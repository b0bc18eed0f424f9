import { isRefusal, type PageSize, type Refusal } from '../model/answer.ts';
import { insertRow, removeRow, type ChangingRows, type Lifetime } from '../model/changing-rows.ts';
import {
  grantedOf,
  isPastEnd,
  offsetAnswer,
  type OffsetParameters,
  type OffsetRequest,
} from '../model/offset-answer.ts';
import type { IsBefore } from '../model/orders.ts';
import { mix } from '../sandbox/data/random.ts';
import { createChoices, type Choices } from './choices.ts';
import type { AssetsPlan } from './scenario-lists.ts';
import { createShown, extraMembers, refusal } from './simulated-list.ts';
import type { Answer, Surroundings } from './simulated-list.ts';

interface AssetRow extends Lifetime {
  readonly number: number;
}

/** The newest row comes first. */
const isBefore: IsBefore<AssetRow> = (one, other) => one.number > other.number;

export function createAssetsList(plan: AssetsPlan, seed: number, around: Surroundings) {
  const choices = createChoices(mix(seed, 11));
  const shown = createShown(around);
  const changing = createRows(plan, choices, around);
  const parameters = parametersOf(plan);
  const pageAt = createPages(plan, parameters, changing, choices, around);
  return {
    rows: changing.rows,
    served: shown.served,
    rowsOf: shown.rowsOf,
    statesOffset: plan.offsetEcho !== 'absent',
    startRead: (): void => {
      shown.served.splice(0);
    },
    change: (times: number): void => {
      for (let left = times; left > 0; left--) changing.change();
    },
    answer: (query: URLSearchParams): Answer => {
      if (!around.isCalm()) changing.change();
      const request = requestOf(query);
      if (isRefusal(request)) return refusal(request);
      const granted = grantedOf(request.limit, parameters);
      if (typeof granted !== 'number') around.matters('largePage');
      const page = typeof granted === 'number' ? pageAt(request, granted) : granted;
      return isRefusal(page) ? refusal(page) : shown.page(request.offset, page.texts, page.pagination);
    },
  };
}

/** Returns a function that returns the texts of a page and its pagination, and notes which parameters show in it. */
function createPages(
  plan: AssetsPlan,
  parameters: OffsetParameters,
  { list, staleTotal }: ReturnType<typeof createRows>,
  { between, chance }: Choices,
  { matters }: Surroundings,
) {
  let showings = 0;
  return (request: OffsetRequest, granted: number) => {
    const { offset } = request;
    const isShort = granted > 2 && chance(plan.shortPercent);
    if (isShort) matters('shortAssetPages');
    if (isPastEnd(list.length, request, parameters)) matters(offset >= list.length ? 'pastEnd' : 'depth');
    const size: PageSize = (whole) => (isShort ? between(2, whole - 1) : whole);
    const variation = { size, staleTotal: staleTotal(), ties: null };
    const page = offsetAnswer(list, request, parameters, variation);
    if (isRefusal(page)) return page;
    const { rows, pagination } = page;
    if (rows.length > 0) for (const name of ['assetRows', 'assetKeys', 'assetText'] as const) matters(name);
    if (rows.length < list.length) matters('assetPage');
    matters('offsetEcho');
    if (pagination.totalCount !== list.length) matters('totals');
    return {
      texts: rows.map(({ number }) => [number, textOf(number, plan, showings++)] as const),
      pagination,
    };
  };
}

function requestOf(query: URLSearchParams): OffsetRequest | Refusal {
  const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset'))];
  if (Number.isInteger(limit) && limit > 0 && Number.isInteger(offset) && offset >= 0)
    return { limit, offset };
  return { status: 400, error: `limit ${limit}, offset ${offset}` };
}

/** The parameters of the model that a plan stands for. */
function parametersOf({
  depth,
  maxPerPage,
  offsetEcho,
  pastEnd,
  refusesMore,
  totals,
}: AssetsPlan): OffsetParameters {
  // in a scenario, `null` is the value of JSON
  const totalCount = totals ?? 'null';
  return {
    maxPerPage,
    refusedAbove: refusesMore ? maxPerPage : Infinity,
    depth: depth ?? Infinity,
    acrossDepth: 'cut there',
    window: Infinity,
    offsets: 'any',
    pastEnd,
    members: { offset: offsetEcho, limit: 'right', totalCount },
  };
}

/** The rows that ever existed, the list (newest first), and how it changes. */
function createRows(
  plan: AssetsPlan,
  { below, between, chance }: Choices,
  { matters, moment, trace }: Surroundings,
) {
  const changing: ChangingRows<AssetRow> = { rows: [], list: [] };
  const { rows, list } = changing;
  let staleTotal = plan.rows;
  const insert = (count: number): void => {
    for (let left = Math.min(count, plan.maxRows - rows.length); left > 0; left--) {
      const row = { number: rows.length, from: moment(), until: Infinity };
      insertRow(changing, row, isBefore);
      trace(() => `assets: row ${row.number} is inserted`);
    }
  };
  const remove = (count: number): void => {
    for (let left = Math.min(count, list.length); left > 0; left--) {
      const row = removeRow(changing, below(list.length), moment());
      if (row === undefined) return;
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
