import { isRefusal, type PageSize, type Refusal } from '../model/answer.ts';
import { BOUNDS } from '../model/bounds.ts';
import { insertRow, removeRow, type ChangingRows } from '../model/changing-rows.ts';
import {
  cursorAnswer,
  type CursorParameters,
  type CursorRequest,
  type OrderedRows,
} from '../model/cursor-answer.ts';
import { orderOf, type IsBefore, type RowKeys } from '../model/orders.ts';
import { parseTime, timeForm, type TimeForm } from '../model/time-forms.ts';
import { mix } from '../sandbox/data/random.ts';
import { newRow, type AlarmRow } from './alarm-rows.ts';
import type { DimensionName } from './answers.ts';
import { createChoices, type Choices } from './choices.ts';
import { createCursors } from './cursors.ts';
import type { AlarmsPlan } from './scenario-lists.ts';
import { createShown, refusal, type Answer, type Surroundings } from './simulated-list.ts';

const KEYS: RowKeys<AlarmRow> = {
  number: ({ number }) => number,
  created: ({ created }) => created,
  hash: ({ hash }) => hash,
  isApart: ({ isOutOfOrder }) => isOutOfOrder,
};
/** Requests after which a changing text changes. */
const MOMENTS_PER_VERSION = 8;

export function createAlarmsList(plan: AlarmsPlan, seed: number, around: Surroundings) {
  const choices = createChoices(mix(seed, 12));
  const form = timeForm(plan.form, plan.zone);
  const shown = createShown(around);
  const cursors = createCursors(plan.cursors, around);
  const isBefore = orderOf(plan.order, KEYS);
  const changing = createRows(plan, form, choices, isBefore, around);
  const changes = createChanges(plan, changing, choices, around);
  const pageOf = createPages(plan, listOf(plan, changing.list, isBefore), choices, around, cursors);
  return {
    form,
    rows: changing.rows,
    served: shown.served,
    rowsOf: shown.rowsOf,
    statesOffset: false,
    startRead: (): void => {
      shown.served.splice(0);
      cursors.startRead();
    },
    /** Adds `count` rows that arrived since the last change. */
    change: changes.add,
    answer: (query: URLSearchParams): Answer => {
      changes.forRequest();
      const request = requestOf(query, plan, form);
      if (isRefusal(request)) return refusal(request);
      const page = pageOf(request);
      if (isRefusal(page)) return refusal(page);
      const texts = page.rows.map(({ number, text }) => [number, text(changes.version())] as const);
      return shown.page(request.bound, texts, { nextCursor: page.nextCursor });
    },
  };
}

/** How the list changes between reads and with each request; it begins with its first rows. */
function createChanges(
  plan: AlarmsPlan,
  { insert, remove }: ReturnType<typeof createRows>,
  choices: Choices,
  { isCalm, matters, moment, now }: Surroundings,
) {
  let grownMs = now();
  let version = 0;
  insert(plan.rows, grownMs - plan.spanMs, grownMs);
  return {
    /** The version of texts that change. */
    version: (): number => version,
    add: (count: number): void => {
      insert(count, grownMs, now());
      grownMs = now();
    },
    forRequest: (): void => {
      grownMs = now();
      if (isCalm()) return;
      version = Math.floor(moment() / MOMENTS_PER_VERSION);
      if (choices.chance(plan.inserts.percent)) {
        matters('alarmInserts');
        insert(choices.between(1, plan.inserts.max), grownMs, grownMs);
      }
      if (plan.deletePercent > 0 && choices.chance(plan.deletePercent)) remove();
    },
  };
}

/** The rows of the list, in the order of arrival and in the order of the list, and how they change. */
function createRows(
  plan: AlarmsPlan,
  form: TimeForm,
  choices: Choices,
  isBefore: IsBefore<AlarmRow>,
  around: Surroundings,
) {
  const { matters, moment, trace } = around;
  const changing: ChangingRows<AlarmRow> = { rows: [], list: [] };
  const { rows, list } = changing;
  const insertAt = (arrivedMs: number): void => {
    if (rows.length >= plan.maxRows) return;
    const row = { ...newRow(rows, arrivedMs, plan, form, choices), from: moment(), until: Infinity };
    insertRow(changing, row, isBefore);
    trace(() => `alarms: row ${row.number} arrives, created ${form.write(row.created, row.number)}`);
  };
  const insert = (count: number, fromMs: number, toMs: number): void => {
    const arrivals = Array.from({ length: count }, () => fromMs + drawDelay(plan, choices, toMs - fromMs));
    for (const arrivedMs of arrivals.toSorted((a, b) => a - b)) insertAt(arrivedMs);
  };
  const remove = (): void => {
    const row = removeRow(changing, choices.below(list.length), moment());
    if (row === undefined) return;
    matters('alarmDeletes');
    trace(() => `alarms: row ${row.number} is deleted`);
  };
  return { rows, list, insert, remove };
}

/** ms after the start of a period at which a row arrives. */
function drawDelay({ spread }: AlarmsPlan, { below }: Choices, ms: number): number {
  const at = below(Math.max(1, ms));
  if (spread === 'bursts') return Math.floor(((at * 4) / Math.max(1, ms)) ** 3 * (ms / 64));
  return spread === 'an empty stretch' && at > ms / 10 && at < ms * 0.9 ? Math.floor(at / 10) : at;
}

type Request = Omit<CursorRequest<AlarmRow>, 'cursor'> & { readonly bound: string | null };

function requestOf(query: URLSearchParams, { maxPerPage }: AlarmsPlan, form: TimeForm): Request | Refusal {
  const bound = query.get('createdSince');
  const since = bound === null ? null : parseTime(bound, form);
  if (bound !== null && since === null) return { status: 400, error: `createdSince ${bound} is no time` };
  const limit = Number(query.get('limit') ?? maxPerPage);
  if (!Number.isInteger(limit) || limit < 1) return { status: 400, error: `limit ${limit}` };
  return { bound, since, limit, after: query.get('after') };
}

/** The rows in their order; rows are listed as they are received, if that is the time that bounds refer to. */
function listOf(
  { order, boundTime }: AlarmsPlan,
  rows: readonly AlarmRow[],
  isBefore: IsBefore<AlarmRow>,
): OrderedRows<AlarmRow> {
  return {
    rows,
    isBefore,
    timeOf: (row) => (row.isTimed || !row.isOutOfOrder ? row[boundTime] : null),
    isAscending: order === 'by created time' && boundTime === 'created',
  };
}

/** The parameters of the model that a plan stands for. */
function parametersOf({
  bound,
  cursors,
  lastCursor,
  maxPerPage,
  noRowsStatus,
}: AlarmsPlan): CursorParameters {
  return {
    maxPerPage,
    kind: cursors.kind,
    life: cursors,
    bound: BOUNDS[bound],
    boundOfCursor: 'of the request',
    noRowsStatus,
    // in a scenario, `null` is the value of JSON
    lastCursor: lastCursor ?? 'null',
  };
}

/** Returns a function that returns the rows of a page and the cursor of the next one, and notes which parameters show in it. */
function createPages(
  plan: AlarmsPlan,
  list: OrderedRows<AlarmRow>,
  choices: Choices,
  around: Surroundings,
  cursors: ReturnType<typeof createCursors>,
) {
  const { matters, trace } = around;
  const parameters = parametersOf(plan);
  const size = pageSize(plan, choices, around);
  return (request: Request) => {
    const { after } = request;
    const cursor = after === null ? null : cursors.find(after);
    const isExpired = cursors.noteUse(cursor);
    const own = { ...parameters, life: cursors.life() };
    const page = cursorAnswer(list, { ...request, cursor }, own, cursors.moment(), size);
    if (isRefusal(page) && after === null) matters('boundWithoutRows');
    if (isRefusal(page)) return page;
    const { rows, since, next } = page;
    const nextCursor = next === null ? page.lastCursor : cursors.issue(next);
    if (isExpired && plan.cursors.expired === 'empty last page') return { rows, nextCursor };
    trace(() => `alarms: serves rows ${rows.map(({ number }) => number).join(' ')}`);
    for (const dimension of dimensionsOf(rows)) matters(dimension);
    if (since !== null) matters('bound');
    // rows that the list would lack if the bound referred to what they show
    if (plan.boundTime === 'received' && rows.some(({ created }) => since !== null && created < since))
      matters('boundTime');
    matters(next === null ? 'lastCursor' : 'cursorKind');
    return { rows, nextCursor };
  };
}

/** How many rows a page has: some are empty, some are short. */
function pageSize(
  { emptyPercent, maxPerPage, shortPercent }: AlarmsPlan,
  { between, chance }: Choices,
  { isCalm, matters }: Surroundings,
): PageSize {
  return (granted, rest) => {
    const isEmpty = !isCalm() && chance(emptyPercent);
    const isShort = granted > 1 && chance(shortPercent);
    if (isEmpty && rest > 0) matters('emptyPages');
    else if (isShort && rest >= granted) matters('shortAlarmPages');
    else if (rest > maxPerPage) matters('alarmPage');
    if (isEmpty) return 0;
    return isShort ? between(1, granted - 1) : granted;
  };
}

/** The dimensions whose answers show in the rows of a page. */
function dimensionsOf(shown: readonly AlarmRow[]): readonly DimensionName[] {
  const dimensions = shown.flatMap((row) => row.dimensions);
  const isUnordered = shown.some((row, at) => at > 0 && row.created < (shown[at - 1]?.created ?? 0n));
  const ofOrder = isUnordered ? (['order'] as const) : [];
  const ofSize = shown.length > 0 ? (['alarmRows', 'span', 'spread'] as const) : [];
  return [...dimensions, ...ofOrder, ...ofSize];
}
