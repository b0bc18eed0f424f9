import { createRandom, mix } from '../sandbox/data/random.ts';
import { lineForm } from '../sandbox/digest.ts';
import { between, chance } from './choice.ts';
import { extraMembers } from './extra-members.ts';
import type { AssetsPlan } from './scenario-assets.ts';
import { pageOf, refusal } from './simulated-list.ts';
import type { ServedPage, SimulatedList, SimulatedRow, Surroundings } from './simulated-list.ts';

export type AssetsList = SimulatedList<SimulatedRow>;

export function createAssetsList(plan: AssetsPlan, seed: number, around: Surroundings): AssetsList {
  const random = createRandom(mix(seed, 11));
  const rows: SimulatedRow[] = [];
  /** Newest first. */
  const list: SimulatedRow[] = [];
  const served: ServedPage[] = [];
  const texts = new Map<string, number>();
  let shown = 0;
  let staleTotal = plan.rows;

  const insert = (count: number): void => {
    for (let left = Math.min(count, plan.mostRows - rows.length); left > 0; left--) {
      const row = { number: rows.length, from: around.moment(), until: Number.POSITIVE_INFINITY };
      rows.push(row);
      list.unshift(row);
      around.tell(() => `assets: row ${row.number} comes in`);
    }
  };
  const remove = (count: number): void => {
    for (let left = Math.min(count, list.length); left > 0; left--) {
      const [row] = list.splice(random.below(list.length), 1);
      if (row === undefined) return;
      row.until = around.moment();
      around.tell(() => `assets: row ${row.number} is deleted`);
    }
  };
  const change = (): void => {
    staleTotal = list.length;
    const { inserts, deletes } = plan;
    if (chance(random, inserts.percent)) insert(between(random, 1, inserts.most));
    if (chance(random, deletes.percent)) remove(between(random, 1, deletes.most));
  };
  const show = (row: SimulatedRow): string => {
    const text = textOf(row.number, plan, plan.isVolatile ? shown++ : 0);
    texts.set(lineForm(text), row.number);
    return text;
  };
  /** `end`: how many rows stand up to the end of a page. */
  const totalOf = (end: number): number | null | undefined => {
    const { length } = list;
    const inexact = { 'too large': length + 7, 'too small': length >> 1, 'what was shown': end };
    const values = { right: length, absent: undefined, null: null, '-1': -1, stale: staleTotal, ...inexact };
    return values[plan.totals];
  };

  insert(plan.rows);
  return {
    rows,
    served,
    rowOf: (line) => texts.get(line),
    nextRead: () => served.splice(0),
    change: (times) => {
      for (let left = times; left > 0; left--) change();
    },
    answer: (query) => {
      if (!around.isCalm()) change();
      const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset'))];
      if (!Number.isInteger(limit) || limit < 1 || !Number.isInteger(offset) || offset < 0)
        return refusal(400, `limit ${limit}, offset ${offset}`);
      if (plan.refusesMore && limit > plan.mostPerPage) return refusal(400, `limit ${limit} is too large`);
      const granted = Math.min(limit, plan.mostPerPage);
      const isShort = granted > 2 && chance(random, plan.shortPercent);
      const page = list.slice(offset, offset + (isShort ? between(random, 2, granted - 1) : granted));
      served.push({ moment: around.moment(), offset, rows: page.map(({ number }) => number) });
      const totalCount = totalOf(offset + page.length);
      // JSON leaves out what is undefined
      return pageOf(page.map(show), { offset: plan.echoesOffset ? offset : undefined, limit, totalCount });
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
