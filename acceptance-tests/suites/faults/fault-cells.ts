import { catalogue } from '../../sandbox/faults/catalogue.ts';
import { faultNames } from '../../sandbox/client.ts';
import type {
  EndpointName,
  FaultName,
  FaultPlace,
  FaultPlan,
  FaultPlans,
  ListName,
} from '../../sandbox/client.ts';
import { isDefinite, passing, staying } from './fault-expectations.ts';
import type { Expected } from './fault-expectations.ts';

/** One cell of the matrix: a fault of an endpoint that passes or stays. */
export interface Cell {
  readonly fault: FaultName;
  readonly endpoint: EndpointName;
  readonly form: 'passing' | 'permanent';
  readonly at: FaultPlace;
  readonly expected: Expected;
}

/** A read of a world with faults: one cell, or two that are right only if neither touches the other. */
export interface CellRun {
  readonly cells: readonly Cell[];
  readonly plans: FaultPlans;
}

const places = ['first', 'middle', 'last', 'random'] as const;

/** The runs of the whole matrix, or of a cover in which each fault meets each endpoint in both forms at one place. */
export function cellRuns(whole: boolean): CellRun[] {
  return faultNames.flatMap((fault, index) => {
    const { endpoints } = catalogue[fault];
    const runs = endpoints.includes('token') ? tokenCells(fault).map((cell) => runOf([cell])) : [];
    const turns = whole ? places.map((_, turn) => turn) : [index];
    const lists = endpoints.filter((endpoint) => endpoint !== 'token');
    return [...runs, ...turns.flatMap((turn) => listRuns(fault, lists, turn))];
  });
}

function tokenCells(fault: FaultName): Cell[] {
  const cell = { fault, endpoint: 'token', at: 'any' } as const;
  return [
    { ...cell, form: 'passing', expected: passing(fault, 'token', 'any') },
    { ...cell, form: 'permanent', expected: staying(fault, 'token', 'any') },
  ];
}

/** The fault stays at one list while it passes at the other, if the other is to come through that; and the other way round. */
function listRuns(fault: FaultName, lists: readonly ListName[], turn: number): CellRun[] {
  const cellOf = (list: ListName, form: Cell['form']): Cell => {
    const shift = turn + (list === 'assets' ? 0 : 1) + (form === 'permanent' ? 0 : 2);
    return listCell(fault, list, form, shift);
  };
  return lists.flatMap((list) => {
    const beside = lists.find((other) => other !== list);
    const stays = cellOf(list, 'permanent');
    const passes = cellOf(beside ?? list, 'passing');
    // a token that one list refuses is the other one's too
    const isApart = fault === 'status401' || passes.expected.endings.join() !== 'exact';
    if (beside === undefined || isApart) return [runOf([stays]), runOf([passes])];
    return [runOf([stays, passes])];
  });
}

function listCell(fault: FaultName, endpoint: ListName, form: Cell['form'], turn: number): Cell {
  const wanted = places[turn % places.length] ?? 'first';
  // before the first page there is no cursor to come back to, and not every page has one before that
  const isLoop = fault === 'cursorRepeated' || fault === 'cursorAlternating';
  // what stays at random is no fault that stays
  const unfit =
    (form === 'permanent' && wanted === 'random') || (isLoop && (wanted === 'first' || wanted === 'random'));
  const at = unfit ? 'middle' : wanted;
  const expected = form === 'permanent' ? staying(fault, endpoint, at) : passing(fault, endpoint, at);
  return { fault, endpoint, form, at, expected };
}

function runOf(cells: readonly Cell[]): CellRun {
  const plans = cells.map((cell): [EndpointName, FaultPlan] => [cell.endpoint, planOf(cell)]);
  return { cells, plans: Object.fromEntries(plans) };
}

function planOf({ fault, form, at }: Cell): FaultPlan {
  if (form === 'permanent' || at === 'random') return { fault, at, times: null };
  // what may be an answer is asked for once more, and so is a token, whose issuance is scarce
  return { fault, at, times: at === 'any' || isDefinite(fault) ? 1 : 2 };
}

/** What a run is called. */
export function nameOf({ cells }: CellRun): string {
  return cells
    .map(({ fault, endpoint, form, at }) => `${catalogue[fault].words}, ${endpoint}, ${at} (${form})`)
    .join(' beside ');
}
